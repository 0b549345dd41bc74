import { type SpawnOptions, spawn } from 'node:child_process';

/** How Postgres programs are started: as whom, and with an environment that carries neither `PG*` settings nor our secrets. */
export function spawnAs(user: ServerUser | undefined): SpawnOptions {
  return {
    // Messages in English (they are read below), times in UTC whatever the shell that started us says.
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  };
}

export interface RunResult {
  readonly ok: boolean;
  /** Both streams, or why the program could not be started at all. */
  readonly output: string;
}

/** Runs a program to its end. Never rejects: a program that cannot be started is `ok: false`. */
export function run(program: string, args: readonly string[], user: ServerUser | undefined): Promise<RunResult> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, { ...spawnAs(user), cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}

/** The system user Postgres runs as when the gateway is root; Postgres itself refuses to be root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}
