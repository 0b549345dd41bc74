/** What runs in a box: it waits for a function's code, loads it, and serves calls until the gateway goes away. */
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { type CallHead, giveUp, serve } from './calls.ts';
import { contextKey, currentCall } from './current-call.ts';
import { setEnvironment } from './environment.ts';
import { tellError } from './errors.ts';
import { createFrameReader, createFrameWriter, type Frame } from './frames.ts';
import { type Handler, handlerOf } from './handler.ts';
import { markOutput } from './logs.ts';
import { openTunnel } from './tunnel.ts';

/** Head of the message that loads a function; its body is the environment as JSON. */
export interface LoadHead {
  readonly type: 'load';
}

/** Heads of messages to a box. */
export type Order = LoadHead | CallHead | { readonly type: 'give_up' };

/** Heads of messages from a box that belong to no call. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'loaded' }
  | { readonly type: 'load_failed'; readonly error: ReturnType<typeof tellError> }
  | { readonly type: 'crashed'; readonly error: ReturnType<typeof tellError> };

const [, , codeFolder, tmpFolder, egress] = process.argv;
const gateway = new Socket({ fd: 3, readable: true, writable: true });
const send = createFrameWriter((bytes) => gateway.write(bytes));
const report = (head: Report) => send(0, head);
let handler: Handler | undefined;

async function load(environment: string): Promise<void> {
  try {
    setEnvironment(JSON.parse(environment), tmpFolder!);
    handler = handlerOf(await import(`${codeFolder}/main.mjs`));
    report({ type: 'loaded' });
  } catch (error) {
    report({ type: 'load_failed', error: tellError(error) });
  }
}

const { push } = createFrameReader(({ id, head, body }: Frame) => {
  // From the gateway: nobody else has the other end.
  const order = head as Order;
  if (order.type === 'load') void load(body.toString());
  else if (order.type === 'give_up') giveUp(id);
  else if (handler !== undefined) void serve(send, handler, id, order, body);
});
gateway.on('data', push);
gateway.on('close', () => process.exit());
gateway.on('error', () => process.exit());

/** An error that no handler caught leaves the process in a state that nobody knows. */
function crash(error: unknown): void {
  report({ type: 'crashed', error: tellError(error) });
  // Once the report is on its way.
  setImmediate(() => gateway.write('', () => process.exit(1)));
}
process.on('uncaughtException', crash);

/** The first of each takes its time: that is over before a function comes. */
async function warmUp(): Promise<void> {
  const request = new Request('http://localhost/', { method: 'POST', body: 'x', headers: [['a', 'b']] });
  await new Response(request.body, { headers: { a: 'b' } }).arrayBuffer();
  Response.json({});
}

/** What CommonJS counts on, which a bundle is part of; a function may call something of its own so. */
function offerCommonJs(): void {
  const file = `${codeFolder}/main.mjs`;
  Object.assign(globalThis, { require: createRequire(file), __filename: file, __dirname: codeFolder });
}

markOutput();
offerCommonJs();
if (egress) openTunnel(egress);
Object.defineProperty(globalThis, contextKey, { value: currentCall });
await warmUp();
report({ type: 'ready' });
