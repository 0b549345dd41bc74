import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Code that runs on Node.js: the console runs in browsers alone. */
const patterns = [
  '{core,db,engines,kernel,resolvers,subscriptions,schema,rest-compat,agents,server,scripts,test}/**/*.ts',
  'clients/{cli,sdk}/**/*.ts',
];

/** Calls that nothing makes, each with the reason and the way around it. */
const banned: readonly { readonly call: RegExp; readonly because: string; readonly except?: string }[] = [
  {
    call: /\bURL\.canParse\(/,
    because:
      'URL.canParse says no to hosts beyond ASCII once Node.js 22 has optimised its caller; use URL.parse, or new URL in a try where browsers run the code',
  },
  {
    call: /\bvi\.wait(For|Until)\(/,
    because: 'vitest gives up after a second; use until() of test/helpers/until.ts, which waits for slow machines',
    except: 'test/helpers/until.ts',
  },
];

/** Every call that is not to be made, as `file:line: reason`. */
export async function bannedCalls(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(patterns, { cwd: root, exclude: (name) => name === 'node_modules' })) {
    const lines = (await readFile(join(root, file), 'utf8')).split('\n');
    for (const { call, because } of banned.filter(({ except }) => except !== file))
      for (const [at, line] of lines.entries()) if (call.test(line)) found.push(`${file}:${at + 1}: ${because}`);
  }
  return found.sort();
}
