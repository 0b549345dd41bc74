/** Prints what boxes are on this machine, for the user that runs it. */
import { rm } from 'node:fs/promises';
import { probeBoxes } from '../../../engines/sandbox/probe.ts';
import { makeContext } from './context.ts';

const context = await makeContext();
const found = await probeBoxes(process.argv[2] === undefined ? context : { ...context, image: process.argv[2] });
await rm(context.folder, { recursive: true });
process.stdout.write(`${JSON.stringify(found)}\n`);
