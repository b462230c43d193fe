import { ended, type MachineAttack, rest } from "./machine.ts";

/** Attacks by signals, and by a log that nobody reads. */
export const signalAttacks: Readonly<Record<string, MachineAttack>> = {
  "100 SIGHUPs a second": async (machine) => {
    while (!machine.signal.aborted) {
      machine.exporter().signal("SIGHUP");
      machine.struck("SIGHUP");
      await rest(machine, 10);
    }
  },
  SIGUSR1: async (machine) => {
    while (!machine.signal.aborted) {
      machine.exporter().signal("SIGUSR1");
      machine.struck("SIGUSR1");
      await rest(machine, 500);
      const listeners = machine.exporter().listeners();
      if (listeners > 1) machine.breach(`the exporter listens on ${listeners} sockets after SIGUSR1`);
    }
  },
  "signals that mean nothing": async (machine) => {
    while (!machine.signal.aborted) {
      for (const name of ["SIGPIPE", "SIGWINCH", "SIGCONT", "SIGURG", "SIGCHLD"] as const)
        machine.exporter().signal(name);
      machine.struck("signals");
      await rest(machine, 100);
    }
  },
  "a log that nobody reads": async (machine) => {
    const readAgain = machine.exporter().stopReadingLog();
    machine.struck("full pipe");
    await ended(machine);
    readAgain();
  },
};
