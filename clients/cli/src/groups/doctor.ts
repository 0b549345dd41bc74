import type { Cli } from '../cli.ts';
import type { Command, Group } from '../command.ts';
import { checks, type Finding } from '../doctor-checks.ts';
import { Failure, failureOf } from '../failure.ts';
import { keptSession } from '../files/sessions.ts';
import { findWallet, walletName } from '../files/wallets.ts';
import { apiBase } from '../net/api-base.ts';
import { progress } from '../progress.ts';
import { projectFlag } from '../resolve.ts';

/** Statuses with which the command succeeds. */
const harmless: ReadonlySet<string> = new Set(['ok', 'warning', 'skipped', 'unknown']);

/** Checks that need a credential, and are skipped without one. */
const signed: ReadonlySet<string> = new Set(['tier', 'operator_health', 'recovery_posture']);

const doctor: Command = {
  words: 'doctor',
  summary: 'Check files, wallet, gateway and tier, and say what to do.',
  about: [
    'Every check answers, whatever became of the others. ok, warning, skipped and unknown are fine; anything else makes the exit code 1.',
    'The scan looks at sources that use `@svc/functions`: for names that the library has not, for reading what is the platform’s own, for users on pages that are made ahead of time, and for a GET that changes something. It reads them as text, on this machine alone.',
  ],
  flags: [
    { name: 'only', type: 'string', choices: Object.keys(checks), placeholder: 'check', about: 'Only this check.' },
    { name: 'refresh', type: 'boolean', about: 'Ask the gateway whether it is newer than this command.' },
    { name: 'no-scan', type: 'boolean', about: 'Leave the sources of functions unread.' },
    {
      name: 'scan-dir',
      type: 'string',
      placeholder: 'folder',
      about: 'Sources to scan: this folder unless told, where it is a checkout.',
    },
    {
      name: 'manifest',
      type: 'string',
      placeholder: 'file',
      about: 'Scan the functions of this release specification instead.',
    },
    { ...projectFlag, about: 'The project whose keys and organization are looked at.' },
    { name: 'verbose', type: 'boolean', about: 'With the envelopes of checks that failed.' },
  ],
  examples: [
    ['Everything', 'doctor'],
    ['One thing', 'doctor --only api_reachable'],
    ['Sources of functions, before they are deployed', 'doctor --only source_scan --scan-dir functions'],
  ],
  exits: { 1: 'any failure, or a check that is neither fine nor skipped' },
  human: 'checks',
  async run({ cli, flags, exitWith }) {
    const only = flags.text('only');
    const names = only === undefined ? Object.keys(checks) : [only];
    const hasCredential = await isSomebody(cli);
    const bar = progress(cli);
    let done = 0;
    const found = await Promise.all(
      names.map(async (name) => {
        const finding =
          signed.has(name) && !hasCredential
            ? { status: 'skipped', message: 'There is neither a wallet nor a session to ask with.' }
            : await checks[name]!(cli, flags).catch((error: unknown) => failing(error, flags.is('verbose')));
        bar.at(name, (done += 1) / names.length);
        return { name, ...finding };
      }),
    );
    bar.end();
    const ok = found.every(({ status }) => harmless.has(status));
    if (!ok) exitWith(1);
    return { ok, checks: found };
  },
};

/** Whether there is a credential. Another check reports an unreadable wallet. */
async function isSomebody(cli: Cli): Promise<boolean> {
  try {
    if (cli.env.SVC_DELEGATE_TOKEN !== undefined) return true;
    if ((await findWallet(cli, await walletName(cli))) !== undefined) return true;
    return (await keptSession(cli, 'control-plane', (await apiBase(cli)).url)) !== undefined;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function failing(error: unknown, verbose: boolean): Finding {
  const { envelope } = failureOf(error);
  const { code, message, hint } = envelope;
  return {
    status: 'error',
    message: `${code}: ${message}`,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(verbose ? { value: envelope } : {}),
  };
}

export const group: Group = { name: 'doctor', about: [doctor.summary], commands: [doctor] };
