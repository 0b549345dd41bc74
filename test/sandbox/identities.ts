import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A user of the tests' own, whom no machine knows. */
const userUid = 61_001;

export type Identity = 'root' | 'user';

/** Boxes are made by whoever runs the gateway: root runs the tests as both. */
export const identities: readonly Identity[] = process.getuid?.() === 0 ? ['root', 'user'] : ['user'];

/** What programs of `programs/` are started from. */
export interface Stage {
  readonly start: (identity: Identity, program: string, ...args: readonly string[]) => ChildProcess;
  readonly remove: () => Promise<void>;
}

/** Copies the sources to where every user reads them: a checkout may lie below a folder of root alone. */
export async function makeStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sandbox-'));
  await chmod(folder, 0o755);
  for (const part of ['core', 'engines/sandbox', 'test/sandbox', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  const node = await readableNode(folder);
  return {
    start(identity, program, ...args) {
      const other = identity === 'user' && process.getuid?.() === 0 ? { uid: userUid, gid: userUid } : {};
      const file = join(folder, 'test/sandbox/programs', program);
      return spawn(node, ['--disable-warning=ExperimentalWarning', file, ...args], {
        ...other,
        env: { PATH: process.env.PATH, HOME: tmpdir(), SECRET_OF_THE_GATEWAY: 'seen' },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** The program of Node.js, or a copy of it where the other user cannot reach it. */
async function readableNode(folder: string): Promise<string> {
  const other = process.getuid?.() === 0 ? { uid: userUid, gid: userUid } : {};
  const readable = await run(process.execPath, ['--version'], { ...other, cwd: '/' }).then(
    () => true,
    () => false,
  );
  if (readable) return process.execPath;
  await copyFile(process.execPath, join(folder, 'node'));
  return join(folder, 'node');
}

/** The last line that a program prints, as JSON. */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  let text = '';
  for await (const piece of child.stdout!) text += piece;
  return JSON.parse(text.trim().split('\n').at(-1)!);
}
