/** `node bench/profile.ts <file.cpuprofile> [seconds]`: where the time went after start-up, which takes so many seconds. */
import { readFile } from 'node:fs/promises';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const shownRows = 40;
const startUpSeconds = Number(process.argv[3] ?? 5);

const profile = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as Profile;
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
const parents = new Map(
  profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
);
const idle = new Set(profile.nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));

/** A package, a folder of the project, a module of Node, or a state of the engine such as collecting garbage. */
function placeOf(url: string, functionName: string): string {
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packaged !== undefined) return packaged;
  if (url.startsWith('node:')) return url.split('/').slice(0, 3).join('/');
  if (url.startsWith('file:')) return `./${url.split('/').slice(-3).join('/')}`;
  return functionName.startsWith('(') ? functionName : '(native)';
}

let elapsed = 0;
let busy = 0;
const places = new Map<string, number>();
const functions = new Map<string, number>();
const withCalls = new Map<string, number>();
const add = (to: Map<string, number>, name: string, time: number) => void to.set(name, (to.get(name) ?? 0) + time);

profile.samples.forEach((id, index) => {
  const time = profile.timeDeltas[index]!;
  elapsed += time;
  if (idle.has(id) || elapsed < startUpSeconds * 1e6) return;
  busy += time;
  const seen = new Set<string>();
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const { functionName, url, lineNumber } = nodes.get(at)!.callFrame;
    const place = placeOf(url, functionName);
    const name = `${functionName || '(anonymous)'}  ${place}:${lineNumber + 1}`;
    if (at === id) {
      add(places, place, time);
      add(functions, name, time);
    }
    // A function that calls itself counts once.
    if (!seen.has(name)) add(withCalls, name, time);
    seen.add(name);
  }
});

for (const [title, counted] of Object.entries({
  'by package, itself': places,
  'by function, itself': functions,
  'by function, with what it calls': withCalls,
})) {
  process.stdout.write(`\n${title}\n`);
  const sorted = [...counted].sort(([, left], [, right]) => right - left).slice(0, shownRows);
  for (const [name, time] of sorted)
    process.stdout.write(`${((time / busy) * 100).toFixed(1).padStart(6)} %  ${name}\n`);
}
