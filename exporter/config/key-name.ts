/** Names of keys and of budgets: they become label values, and those of keys file names. */
export const KEY_NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
