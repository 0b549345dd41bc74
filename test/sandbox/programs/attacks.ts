/** Runs all attacks in boxes, as the user that started it, and prints what came of each. */
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { inParallel } from '../../../core/in-parallel.ts';
import type { Attack } from '../attacks/attack.ts';
import { fatalAttacks } from '../attacks/fatal.ts';
import { insideAttacks } from '../attacks/inside.ts';
import { networkAttacks } from '../attacks/network.ts';
import { failureOf, functionOf, handler, makeRunner, requestTo, textOf } from '../functions.ts';

/** The one address that stands for the public internet. */
const publicAddress = '127.0.0.2';
const names: Readonly<Record<string, readonly string[]>> = {
  'loopback.attacker.example': ['127.0.0.1'],
  'mixed.attacker.example': [publicAddress, '127.0.0.1'],
  'metadata.attacker.example': ['169.254.169.254'],
  'redirect.attacker.example': [publicAddress],
};
let rebindings = 0;
const addressesOf = (host: string): readonly string[] | undefined =>
  host === 'rebinding.attacker.example' ? [rebindings++ === 0 ? publicAddress : '127.0.0.1'] : names[host];

let visits = 0;
const secret = createServer((_request, response) => {
  visits += 1;
  response.end('SECRET');
}).listen(0, '127.0.0.1');
secret.on('connection', () => {
  visits += 1;
});
await once(secret, 'listening');
const secretPort = (secret.address() as AddressInfo).port;
const open = createServer((request, response) => {
  // The next request makes a connection of its own.
  response.setHeader('connection', 'close');
  if (request.url === '/hello') response.end('public');
  else response.writeHead(302, { location: `http://127.0.0.1:${secretPort}/` }).end();
}).listen(0, publicAddress);
await once(open, 'listening');

const resolve = (
  host: string,
  options: object,
  done: (error: Error | null, found: { address: string; family: number }[]) => void,
) => {
  const found = addressesOf(host);
  if (found !== undefined)
    done(
      null,
      found.map((address) => ({ address, family: isIP(address) })),
    );
  // As the system reads them; no other name leaves this machine.
  else if (host === 'localhost' || /^[\dx]/.test(host)) lookup(host, { ...options, all: true }, done);
  else done(new Error('There is no such name.'), []);
};
const { runner, failures, lines, remove } = await makeRunner({
  namedAddresses: [publicAddress],
  resolve: resolve as typeof lookup,
});

const known = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
  const secretPort = ${secretPort}; const publicPort = ${(open.address() as AddressInfo).port};`;
const headers = [['x-gateway', String(process.pid)]] as const;

/** One process for all attacks that it survives. */
const inside = functionOf(`${known} const AsyncFunction = (async () => {}).constructor;
  export default async (request) => {
    try {
      const attack = new AsyncFunction('require', 'secretPort', 'publicPort', 'request', await request.text());
      return new Response('value ' + (await attack(require, secretPort, publicPort, request)));
    } catch (error) {
      return new Response('error ' + (error.cause?.cause?.code ?? error.cause?.code ?? error.code ?? error.name));
    }
  };`);
const outcomes: Record<string, string> = {};

async function attackInside({ name, code }: Attack): Promise<void> {
  const call = requestTo('/', { method: 'POST', headers, body: Buffer.from(code) });
  const attempt = textOf(runner, inside, call).then((text) => {
    outcomes[name] = text;
  });
  const failure = await failureOf(attempt);
  if (failure !== undefined) outcomes[name] = `failure ${JSON.stringify(failure)}`;
}

async function attackAlone({ name, code, outcome }: Attack): Promise<void> {
  const fn = functionOf(`${known} export default async (request) => { ${code} };`, { projectId: 'prj_attacker' });
  await runner.load(fn);
  const late = outcome.test('failure timeout') && !outcome.test('value x') ? { deadline: Date.now() + 500 } : {};
  const attempt = textOf(runner, fn, requestTo('/', late)).then((text) => {
    outcomes[name] = `value ${text}`;
  });
  const failure = await failureOf(attempt);
  if (failure !== undefined)
    outcomes[name] = `failure ${failure.kind} ${'reason' in failure ? failure.reason : ''}`.trim();
  await runner.kill({ projectId: fn.projectId, functionId: fn.functionId });
}

const neighbour = functionOf(handler('return new Response("well");'), { projectId: 'prj_neighbour' });
await textOf(runner, neighbour, requestTo('/'));
for (const attack of [...insideAttacks, ...networkAttacks]) await attackInside(attack);
await inParallel(fatalAttacks, 3, attackAlone);

const after = { neighbour: await textOf(runner, neighbour, requestTo('/')), visits, lines: lines.length, failures };
await remove();
secret.close();
open.close();
process.stdout.write(`${JSON.stringify({ outcomes, after })}\n`);
process.exit();
