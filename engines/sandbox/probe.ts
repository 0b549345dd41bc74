import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { endBox, type LaunchContext, launch, makeSlot } from './launch.ts';

/** How strong the walls around functions are on this machine. */
export type Probe =
  | { readonly rung: 'namespaces' }
  /** Nothing but `node --permission`, which leaves the network open: for trusted code alone. */
  | { readonly rung: 'process'; readonly reason: string };

/** Tells from inside what a box is; each line is a fault. */
const inspection = `
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)?.[1];
const faults = [];
for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
  if (BigInt('0x' + field(name)) !== 0n) faults.push('A process in a box keeps rights (' + name + ').');
if (field('NoNewPrivs') !== '1') faults.push('A process in a box may gain rights.');
if (process.pid !== 1) faults.push('A box has no process namespace.');
if (Object.keys(require('node:os').networkInterfaces()).length > 0) faults.push('A box has a network interface.');
if (readdirSync('/old').length > 0) faults.push('A box sees the files of the machine.');
if (readFileSync('/proc/sys/user/max_user_namespaces', 'utf8').trim() !== '0') faults.push('A box may make namespaces.');
try { writeFileSync('/etc/written', ''); faults.push('A box may write to its root.'); } catch {}
console.log(JSON.stringify(faults));
`;

/** Longest that a box may take to start, in milliseconds: far above what a busy machine needs. */
const startMs = 30_000;

/** Starts a box and looks at it from inside: what the system says of itself is no proof. */
export async function probeBoxes(context: Omit<LaunchContext, 'rung'>): Promise<Probe> {
  const reason = await faultOf({ ...context, rung: 'namespaces' }).catch((error: unknown) => String(error));
  return reason === undefined ? { rung: 'namespaces' } : { rung: 'process', reason };
}

async function faultOf(context: LaunchContext): Promise<string | undefined> {
  if (process.platform !== 'linux') return `Boxes are made of namespaces, which ${process.platform} does not have.`;
  const { folder } = await makeSlot(context, 0);
  const box = launch(context, { number: 0, folder, memoryMb: 128 }, ['--eval', inspection]);
  const late = setTimeout(() => endBox(box), startMs);
  try {
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      box.child[name]!.setEncoding('utf8').on('data', (text: string) => {
        said[name] = (said[name] + text).slice(0, 4_096);
      });
    await once(box.child, 'close');
    if (box.child.exitCode !== 0) return said.stderr.trim() || `A box ended with ${box.child.signalCode}.`;
    const faults: string[] = JSON.parse(said.stdout);
    return faults.length === 0 ? undefined : faults.join(' ');
  } finally {
    clearTimeout(late);
    endBox(box);
    await rm(folder, { recursive: true, force: true });
  }
}
