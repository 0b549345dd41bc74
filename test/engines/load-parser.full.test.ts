import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ThreadEndedError } from '../../core/threads.ts';
import { createSqlReader } from '../../engines/reading/sql-reader.ts';

const run = promisify(execFile);
const parser = JSON.stringify(new URL('../../engines/sql/parse-sql.ts', import.meta.url).href);

/** Runs a program that reads SQL, and says what was written by it. */
async function written(program: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { stdout, stderr } = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    `const { parseSql, sqlInside } = await import(${parser});\n${program}`,
  ]);
  return { stdout, stderr };
}

test('a body that has itself printed writes nothing, and the console works on', async () => {
  const body = String.raw`do $$ #option dump\nbegin perform 'x\n{"level":"fatal","msg":"forged"}'; end $$`;
  const program = `console.log(sqlInside(${'`'}${body}${'`'}).length); console.error('still here');`;
  expect(await written(program)).toEqual({ stdout: '0\n', stderr: 'still here\n' });
});

test('a parser takes no more memory than it may, and one that asked for more is not asked again', async () => {
  const reader = createSqlReader();
  const before = await reader.read('', 'readScript', 'select 1');
  const endless = `select ${'f(a.b),'.repeat(600_000)}1`;
  await expect(reader.read('', 'readScript', endless)).rejects.toBeInstanceOf(ThreadEndedError);
  const long = `select ${'f(a.b),'.repeat(100_000)}1`;
  expect((await reader.read('', 'readScript', long)).statements).toEqual([{ text: long, before: 0 }]);
  expect(await reader.read('', 'readScript', 'select 1')).toEqual(before);
  await reader.close();
});

test('a thread prints nothing into the log of the process', async () => {
  const program = `
    import { createThreads } from ${JSON.stringify(new URL('../../core/threads.ts', import.meta.url).href)};
    const inside = \`import { parentPort } from 'node:worker_threads';
      parentPort.on('message', (text) => {
        console.log(text); console.error(text);
        setTimeout(() => parentPort.postMessage('done'), 20);
      });\`;
    const threads = createThreads({ program: new URL('data:text/javascript,' + encodeURIComponent(inside)), most: 1, waitingMax: 1 });
    console.log(await threads.ask('forged'));
    await threads.close();`;
  expect(await written(program)).toEqual({ stdout: 'done\n', stderr: '' });
});
