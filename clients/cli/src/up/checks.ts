import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Cli } from '../cli.ts';
import { local } from '../failure.ts';
import { note, pause } from '../progress.ts';
import type { Check } from './manifest.ts';

const checkMs = 10_000;
const pauseMs = 1_000;

export interface CheckOutcome {
  readonly id: string;
  readonly url: string;
  readonly status: number | null;
  readonly passed: boolean;
}

/**
 * Asks each address until it answers as it should, or its retries are used up.
 *
 * @param site where paths are meant
 * @throws Failure VERIFY_FAILED, with all outcomes
 */
export async function runChecks(cli: Cli, site: string | undefined, checks: readonly Check[]): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const { id, target, status: wanted, retries } of checks) {
    if (target.startsWith('/') && site === undefined)
      throw local('VERIFY_FAILED', `The deploy has told no address of a site, so ${target} cannot be asked.`, {
        hint: 'Give the check a whole address, as url.',
        details: { id, checks: outcomes },
      });
    const url = target.startsWith('/') ? new URL(target, site).href : target;
    let status = await statusOf(cli, url);
    for (let left = retries; status !== wanted && left > 0 && !cli.signal.aborted; left--) {
      await pause(cli, pauseMs);
      status = await statusOf(cli, url);
    }
    note(cli, `${status === wanted ? 'Checked' : 'Not as it should be'}: ${id}, ${String(status)}`);
    outcomes.push({ id, url, status, passed: status === wanted });
  }
  if (outcomes.some(({ passed }) => !passed))
    throw local('VERIFY_FAILED', 'The release is live, and a check of it has failed.', {
      details: { checks: outcomes },
    });
  return outcomes;
}

/** Null where nobody answers. Redirects are not followed. */
async function statusOf({ signal }: Cli, address: string): Promise<number | null> {
  const url = new URL(address);
  const isLocal = url.hostname.endsWith('.localhost');
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const asked = request(url, {
    // Browsers find such a host on this machine; the resolver of the system may not.
    ...(isLocal ? { hostname: '127.0.0.1', headers: { host: url.host } } : {}),
    signal: AbortSignal.any([signal, AbortSignal.timeout(checkMs)]),
  });
  try {
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.destroy();
    return answer.statusCode ?? null;
  } catch {
    return null;
  }
}
