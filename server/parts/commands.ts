import { join } from 'node:path';
import { type CommandRunner, createCommandRunner } from '../../engines/sandbox/command-runner.ts';
import type { Start } from './part.ts';

/** Runs commands of jobs on this machine. Nothing is made before the first one. */
export function openCommands({ options: { config }, lifecycle }: Start): CommandRunner {
  const commands = createCommandRunner({ folder: join(config.dataDir, 'commands') });
  lifecycle.onDrain('commands', () => commands.close());
  return commands;
}
