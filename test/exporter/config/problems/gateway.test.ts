import { badFiles, KEYS } from "./bad-files.ts";

badFiles("gateway", [
  {
    name: "no base_url",
    text: "gateway: {timeout: 10s}\n" + KEYS,
    problems: [
      "gateway.base_url: is missing; it must be an https URL of the gateway's API root (http for localhost only)",
    ],
  },
  {
    name: "a base_url that is not a URL",
    text: "gateway: {base_url: gateway.example/api/v1}\n" + KEYS,
    problems: ['gateway.base_url: "gateway.example/api/v1" is not an http or https URL'],
  },
  {
    name: "a base_url without a host",
    text: 'gateway: {base_url: "https:gateway.example"}\n' + KEYS,
    problems: ['gateway.base_url: "https:gateway.example" is not an http or https URL'],
  },
  {
    name: "a base_url with another scheme",
    text: "gateway: {base_url: ftp://gateway.example}\n" + KEYS,
    problems: ['gateway.base_url: "ftp://gateway.example" is not an http or https URL'],
  },
  {
    name: "http to another host",
    text: "gateway: {base_url: http://gateway.example/api/v1}\n" + KEYS,
    problems: [
      'gateway.base_url: "http://gateway.example/api/v1" must use https, because keys are sent to it; http is allowed for localhost only',
    ],
  },
  {
    name: "http to a host that only begins like loopback",
    text: "gateway: {base_url: http://127.0.0.1.evil.example/api/v1}\n" + KEYS,
    problems: [
      'gateway.base_url: "http://127.0.0.1.evil.example/api/v1" must use https, because keys are sent to it; http is allowed for localhost only',
    ],
  },
  {
    name: "credentials in base_url",
    text: "gateway: {base_url: https://admin:hunter2@gateway.example/api/v1}\n" + KEYS,
    problems: ["gateway.base_url: the URL must not contain credentials"],
  },
  {
    name: "a query in base_url",
    text: "gateway: {base_url: https://gateway.example/api/v1?token=hunter2}\n" + KEYS,
    problems: ["gateway.base_url: the URL must not have a query or a fragment"],
  },
  {
    name: "a fragment in base_url",
    text: 'gateway: {base_url: "https://gateway.example/api/v1#hunter2"}\n' + KEYS,
    problems: ["gateway.base_url: the URL must not have a query or a fragment"],
  },
  {
    name: "a duration without a unit",
    text: "gateway: {base_url: https://gateway.example/api/v1, timeout: 10}\n" + KEYS,
    problems: ["gateway.timeout: 10 is not a duration from 100ms to 10m, such as 10s"],
  },
  {
    name: "a duration in the wrong order",
    text: "gateway: {base_url: https://gateway.example/api/v1, timeout: 30s1m}\n" + KEYS,
    problems: ['gateway.timeout: "30s1m" is not a duration from 100ms to 10m, such as 10s'],
  },
  {
    name: "a duration that is too short",
    text: "gateway: {base_url: https://gateway.example/api/v1, timeout: 0s, deadline: 99ms}\n" + KEYS,
    problems: [
      'gateway.timeout: "0s" is not a duration from 100ms to 10m, such as 10s',
      'gateway.deadline: "99ms" is not a duration from 100ms to 1h, such as 30s',
    ],
  },
  {
    name: "a duration that is too long",
    text: "gateway: {base_url: https://gateway.example/api/v1, max_pause: 2d}\n" + KEYS,
    problems: ['gateway.max_pause: "2d" is not a duration from 1s to 1d, such as 5m'],
  },
  {
    name: "a deadline below the timeout",
    text: "gateway: {base_url: https://gateway.example/api/v1, timeout: 1m, deadline: 10s}\n" + KEYS,
    problems: ["gateway.deadline: 10s is shorter than gateway.timeout, 1m"],
  },
  {
    name: "a timeout above the default deadline",
    text: "gateway: {base_url: https://gateway.example/api/v1, timeout: 1m30s}\n" + KEYS,
    problems: ["gateway.deadline: 30s is shorter than gateway.timeout, 1m30s"],
  },
  {
    name: "numbers out of range",
    text:
      "gateway: {base_url: https://gateway.example/api/v1, requests_per_minute: -1, connections: 0}\n" + KEYS,
    problems: [
      "gateway.requests_per_minute: -1 is not an integer from 0 to 1000000",
      "gateway.connections: 0 is not an integer from 1 to 1024",
    ],
  },
  {
    name: "numbers of the wrong kind",
    text:
      "gateway: {base_url: https://gateway.example/api/v1, requests_per_minute: 1.5, connections: many}\n" +
      KEYS,
    problems: [
      "gateway.requests_per_minute: 1.5 is not an integer from 0 to 1000000",
      'gateway.connections: "many" is not an integer from 1 to 1024',
    ],
  },
  {
    name: "sizes of the wrong form",
    text: "gateway: {base_url: https://gateway.example/api/v1, max_body: 16MB}\n" + KEYS,
    problems: [
      'gateway.max_body: "16MB" is not a size from 1KiB to 16MiB, such as 2MiB, or a number of bytes',
    ],
  },
  {
    name: "a size out of range",
    text: "gateway: {base_url: https://gateway.example/api/v1, max_body: 17}\n" + KEYS,
    problems: ["gateway.max_body: 17 is not a size from 1KiB to 16MiB, such as 2MiB, or a number of bytes"],
  },
]);
