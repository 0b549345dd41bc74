import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.ts';
import { natsProgram } from '../../scripts/lane-programs.ts';

export interface NatsServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a NATS server; `npm run test:lanes` knows how to install one. */
export async function startNats(port?: number, flags: readonly string[] = []): Promise<NatsServer> {
  const at = port ?? (await freePort());
  const child: ChildProcess = spawn(natsProgram()!, ['-a', '127.0.0.1', '-p', String(at), ...flags], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (!(await answers(at))) await pause(10);
  return {
    url: `nats://127.0.0.1:${at}`,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
