import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, identities, makeStage, type Stage } from './identities.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});
afterAll(() => stage.remove());

describe.each(identities)('as %s', (identity) => {
  test('the probe tells a rung, and a reason for any but the strongest', async () => {
    const found = await answerOf(stage.start(identity, 'probe.ts'));
    if (process.platform === 'linux') expect(found).toEqual({ rung: 'namespaces' });
    else expect(found).toEqual({ rung: 'process', reason: expect.stringContaining(process.platform) });
  });

  test.runIf(process.platform === 'linux')('a box that cannot be made is told with what stood against it', async () => {
    const found = await answerOf(stage.start(identity, 'probe.ts', '/absent'));
    expect(found).toEqual({ rung: 'process', reason: expect.stringContaining('/absent') });
  });

  test.runIf(process.platform === 'linux')('a box ends with the gateway, even if the gateway is killed', async () => {
    const gateway = stage.start(identity, 'orphan.ts');
    const [line] = await once(gateway.stdout!, 'data');
    const { pid, folder }: { pid: number; folder: string } = JSON.parse(String(line));
    expect(await membersOf(pid)).not.toEqual([]);
    gateway.kill('SIGKILL');
    await expect.poll(() => membersOf(pid)).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });
});

/** Processes of a group that have not ended. */
async function membersOf(group: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => {
    // The name before it may hold spaces and brackets.
    const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return member === String(group) && state !== 'Z' ? [stat.split(' ')[0]!] : [];
  });
}
