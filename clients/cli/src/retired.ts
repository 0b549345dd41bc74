import { local, runCommand } from './failure.ts';

interface Retired {
  readonly code: 'COMMAND_MOVED' | 'COMMAND_REMOVED';
  readonly successors: readonly string[];
}

const moved = (...successors: string[]): Retired => ({ code: 'COMMAND_MOVED', successors });
const removed = (...successors: string[]): Retired => ({ code: 'COMMAND_REMOVED', successors });

/**
 * Spellings of older clients, which stay reserved. Contract 04, section 4.4. `rooms list` and `rooms get` are not among
 * them: they show rooms, as the newer client has it in contract 02, section 2.1.
 */
export const retired: Readonly<Record<string, Retired>> = {
  message: removed('svc messages send', 'svc escalations raise'),
  notifications: removed('svc contacts list'),
  'rooms who': moved('svc rooms join'),
  'rooms send': moved('svc messages send'),
  'rooms ack': moved('svc messages ack'),
  'escalations contacts': moved('svc contacts list'),
};

/** @throws COMMAND_MOVED, COMMAND_REMOVED for words that were a command once */
export function refuseRetired(words: readonly string[]): void {
  for (const called of [words.slice(0, 2).join(' '), words[0] ?? '']) {
    const found = Object.hasOwn(retired, called) ? retired[called] : undefined;
    if (found === undefined) continue;
    const { code, successors } = found;
    throw local(code, `svc ${called} is retired.`, {
      hint: `Use ${successors.join(' or ')}.`,
      details: { retired: `svc ${called}`, successors },
      nextActions: successors.map((command) => runCommand(command, 'It does what the retired command did.')),
    });
  }
}
