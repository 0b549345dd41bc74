import { readdirSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { buildConsole } from '../build-console.ts';
import {
  apertiumProgram,
  caddyProgram,
  chromiumProgram,
  dkimPython,
  installedAstro,
  memcachedProgram,
  natsProgram,
  nginxProgram,
  npmWithRegistry,
  nsdProgram,
  pebbleProgram,
  postfixProgram,
  swaksProgram,
  swiftProgram,
  tiniProgram,
} from '../lane-programs.ts';
import type { Part } from './report.ts';
import { runTests } from './run-tests.ts';

/** Tests that need a program from outside npm. */
interface Lane {
  readonly files: readonly string[];
  /** Finds a program of what it needs. */
  readonly program: () => string | undefined;
  /** What it needs, and how to install that. */
  readonly needs: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Two pages at once are as many as two processors can draw. */
  readonly opensPages?: boolean;
  /** Whether other lanes may run beside it. */
  readonly mostlyWaits?: boolean;
}

const natsFiles = ['nats', 'nodes', 'soak'].map((name) => `test/lanes/${name}.test.ts`);
const pageNodes = 'test/lanes/page-nodes.test.ts';
const aroundFiles = ['test/lanes/proxies.test.ts', 'test/lanes/supervisors.test.ts'];
const domainsFile = 'test/lanes/domains.test.ts';
const mailFile = 'test/lanes/mail.test.ts';
const objectsFile = 'test/lanes/s3.test.ts';
const packagesFile = 'test/lanes/packages.test.ts';
const astroFile = 'test/lanes/astro.test.ts';
const aiFile = 'test/lanes/ai.test.ts';

const ownFiles = readdirSync(new URL('../../test/lanes', import.meta.url))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/lanes/${name}`);
const consoleFiles = ownFiles.filter((path) => path.includes('/console'));
const filesOfOthers = [
  ...natsFiles,
  pageNodes,
  ...aroundFiles,
  domainsFile,
  mailFile,
  objectsFile,
  packagesFile,
  astroFile,
  aiFile,
  ...consoleFiles,
];

const nats = { needs: 'nats-server (apt-get install nats-server)', program: natsProgram };
const browser = {
  needs: 'Chromium (apt-get install chromium-headless-shell, or any Chrome)',
  program: chromiumProgram,
  opensPages: true,
};

const lanes: Readonly<Record<string, Lane>> = {
  nats: { ...nats, files: natsFiles, mostlyWaits: true },
  // Runs tests of `npm test` again: `startService()` starts two gateways on one database, behind a balancer that sends each
  // request to the other one. Tests of what each node does by itself are not among them: limits that a node counts alone
  // (rate-limits, connection-limits, request-limits), and its inner parts (feed-hub, feed-memory, metrics,
  // remembered-tokens).
  'two-nodes': {
    ...nats,
    files: ['test/rooms', 'test/faults/idempotency', 'test/subscriptions/lost-rights', 'test/mcp/follow', pageNodes],
    env: { SVC_TEST_NODES: '2' },
  },
  // Programs around a gateway: proxies with the files of docs/running, and supervisors.
  around: {
    files: aroundFiles,
    needs: 'nginx, Caddy and tini (apt-get install nginx caddy tini)',
    program: () => nginxProgram() && caddyProgram() && tiniProgram(),
    mostlyWaits: true,
  },
  // Own domains with a real name server, and certificates of a real authority for tests.
  domains: {
    files: [domainsFile],
    needs: 'NSD and Pebble (apt-get install nsd pebble)',
    program: () => nsdProgram() && pebbleProgram(),
  },
  // Mail with a real mail server, a real client, and another reader of signatures.
  mail: {
    files: [mailFile],
    needs:
      'Postfix, which root starts, swaks and dkimpy (apt-get install postfix swaks python3-dkim python3-dnspython)',
    program: () => dkimPython() && swaksProgram() && postfixProgram(),
    mostlyWaits: true,
  },
  // Objects in another S3 server than that of `npm test`.
  s3: {
    files: [objectsFile],
    needs: 'OpenStack Swift (apt-get install swift-proxy swift-account swift-container swift-object memcached)',
    program: () => memcachedProgram() && swiftProgram(),
    mostlyWaits: true,
  },
  // Functions with packages of npm as their authors publish them.
  packages: { files: [packagesFile], needs: 'npm and a registry that answers', program: npmWithRegistry },
  // A real translator in place of a model.
  ai: {
    files: [aiFile],
    needs: 'Apertium with English and Spanish (apt-get install apertium-eng-spa)',
    program: apertiumProgram,
  },
  // A site of a generator that is larger than all that this project installs for itself.
  astro: {
    files: [astroFile],
    needs: 'Astro (npm ci in test/lanes/astro, which takes the registry of npm)',
    program: installedAstro,
  },
  browser: { ...browser, files: ownFiles.filter((path) => !filesOfOthers.includes(path)) },
  // Every page of the console, by mouse and by keyboard.
  console: { ...browser, files: consoleFiles },
};

/** The names of all lanes. */
export const laneNames = Object.keys(lanes);

/** Runs one lane. @param quiet prints its output when it has ended */
async function runLane(name: string, tries: number, quiet: boolean): Promise<Part> {
  const { files: words, program, needs, env = {}, opensPages = false } = lanes[name]!;
  const found = program();
  if (found === undefined) return { name, passed: false, seconds: 0, files: [], missing: `it needs ${needs}` };
  // Last, since it may be a folder full of other things.
  const PATH = [process.env.PATH, dirname(found)].join(delimiter);
  const began = Date.now();
  const { passed, files, output } = await runTests({
    projects: ['lanes'],
    words: opensPages ? [...words, '--maxWorkers=2'] : words,
    env: { ...env, PATH },
    tries,
    quiet,
  });
  process.stdout.write(output);
  return { name, passed, files, seconds: (Date.now() - began) / 1000 };
}

/**
 * Runs lanes, one after the other; those that mostly wait run beside them. A lane whose program is missing counts as failed.
 *
 * @param wanted names of {@link laneNames} @default all of them
 */
export async function runLanes({
  wanted = laneNames,
  tries,
}: {
  wanted?: readonly string[];
  tries: number;
}): Promise<Part[]> {
  const isAside = (name: string) => wanted.length > 1 && lanes[name]!.mostlyWaits === true;
  // Once, before several files might.
  if (wanted.some((name) => lanes[name]!.opensPages)) await buildConsole();
  const besides = (async () => {
    const parts: Part[] = [];
    for (const name of wanted.filter(isAside)) parts.push(await runLane(name, tries, true));
    return parts;
  })();
  const parts: Part[] = [];
  for (const name of wanted.filter((one) => !isAside(one))) parts.push(await runLane(name, tries, false));
  return [...parts, ...(await besides)];
}
