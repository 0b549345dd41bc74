/** Starts a box that never ends by itself, prints the number of its process, and waits to be killed. */
import { launch, makeSlot } from '../../../engines/sandbox/launch.ts';
import { makeContext } from './context.ts';

const context = await makeContext();
const { folder } = await makeSlot(context, 1);
const { child } = launch(context, { number: 1, folder, memoryMb: 128 }, ['--eval', 'console.log("runs"); for (;;);']);
child.stdout!.on('data', () => process.stdout.write(`${JSON.stringify({ pid: child.pid, folder: context.folder })}\n`));
child.stderr!.pipe(process.stderr);
