import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { natsProgram } from '../../scripts/lane-programs.ts';

const program = fileURLToPath(new URL('../../scripts/soak.ts', import.meta.url));

// `apt-get install nats-server`
describe.skipIf(natsProgram() === undefined)('the soak, in short', () => {
  test('with nodes killed and connections broken every subscriber’s log equals the table', async () => {
    const args = ['--minutes', '0.33', '--subscribers', '50', '--rooms', '5', '--per-second', '20'];
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGTERM'));
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const said = Object.fromEntries(stdout.split('\n').map((line) => line.split(' ')));
    expect({ code, stderr, ...said }).toMatchObject({
      code: 0,
      nodes: '2',
      subscribers: '50',
      unsaved: '0',
      uncalledFor: '0',
      lost: '0',
      doubled: '0',
      outOfOrder: '0',
      unknown: '0',
    });
    // What it is about has taken place.
    expect(Number(said.nodesKilled)).toBeGreaterThan(0);
    expect(Number(said.resumed)).toBeGreaterThan(50);
    expect(Number(said.messages)).toBeGreaterThan(50);
    expect(Number(said.delivered)).toBe(10 * Number(said.messages));
  });
});
