import { stat } from 'node:fs/promises';
import type { Cli } from '../cli.ts';
import type { Command, Group } from '../command.ts';
import { failureOf } from '../failure.ts';
import { isAbsent } from '../files/json-file.ts';
import { configDir } from '../files/paths.ts';
import { keptKeys } from '../files/project-keys.ts';
import { findWallet, walletName } from '../files/wallets.ts';
import { apiBase } from '../net/api-base.ts';
import { call } from '../net/gateway.ts';
import { progress } from '../progress.ts';
import { findOrg } from '../resolve.ts';

type Status = 'ok' | 'warning' | 'missing' | 'error' | 'skipped' | 'unknown' | (string & {});

interface Finding {
  readonly status: Status;
  readonly value?: unknown;
  readonly hint?: string;
  readonly message?: string;
}

/** Statuses that leave the command a success. */
const harmless: ReadonlySet<string> = new Set(['ok', 'warning', 'skipped', 'unknown']);

const checks: Readonly<Record<string, (cli: Cli) => Promise<Finding>>> = {
  async config_dir(cli) {
    const path = configDir(cli);
    try {
      const { mode } = await stat(path);
      const open = process.getuid !== undefined && (mode & 0o022) !== 0;
      return open
        ? { status: 'error', value: { path }, message: 'Others can write to it.', hint: `chmod 700 ${path}` }
        : { status: 'ok', value: { path } };
    } catch (error) {
      if (!isAbsent(error)) throw error;
      return { status: 'missing', value: { path }, hint: 'svc init makes it.' };
    }
  },
  async cli_update() {
    return { status: 'skipped', message: 'This installation is not looked up anywhere.' };
  },
  async allowance(cli) {
    const name = await walletName(cli);
    const wallet = await findWallet(cli, name);
    return wallet === undefined
      ? { status: 'missing', value: { name }, hint: 'svc init makes a wallet.' }
      : { status: 'ok', value: { name, address: wallet.address, rail: wallet.rail } };
  },
  async projects(cli) {
    const kept = await keptKeys(cli, (await apiBase(cli)).url);
    return { status: 'ok', value: { project_count: Object.keys(kept).length } };
  },
  async api_reachable(cli) {
    const { url, source } = await apiBase(cli);
    const credential = { kind: 'none' as const, headers: {} };
    const { body } = await call<{ status?: string; deployment?: { version?: string } }>(cli, {
      method: 'GET',
      path: '/status',
      credential,
    });
    const { status = null, deployment } = body;
    return { status: 'ok', value: { api_base: url, source, status, version: deployment?.version ?? null } };
  },
  async tier(cli) {
    const org = await findOrg(cli);
    const { body } = await call(cli, { method: 'GET', path: '/tiers/v1/status', query: { org_id: org } });
    const { tier, active, organization_lifecycle_state: state } = body;
    if (tier === null || tier === undefined)
      return { status: 'missing', value: body, hint: 'svc org create, then svc tier set prototype.' };
    if (state !== 'active' && state !== null && state !== undefined)
      return { status: String(state), value: { tier }, hint: `svc tier set ${tier}` };
    return active === false ? { status: 'inactive', value: { tier } } : { status: 'ok', value: { tier } };
  },
  async operator_health(cli) {
    const { critical_items: items, operator_reachability: reach } = await operatorStatus(cli);
    const gaps = items.map(({ kind }) => kind);
    return gaps.length === 0 && reach.reachable
      ? { status: 'ok' }
      : {
          status: 'warning',
          value: { gaps, reachable: reach.reachable },
          hint: 'svc agent contact names whom notices go to.',
        };
  },
  async recovery_posture(cli) {
    const { operator_contact: contact } = await operatorStatus(cli);
    return contact.recovery_gap
      ? { status: 'warning', value: contact, hint: 'svc agent passkey enroll mails a link to enrol a passkey.' }
      : { status: 'ok', value: contact };
  },
  async runtime_staleness() {
    return { status: 'skipped', message: 'Functions are not deployed by this gateway yet.' };
  },
  async source_scan() {
    return {
      status: 'skipped',
      message: 'Functions are not deployed by this gateway yet, so there is no source to scan.',
    };
  },
};

interface OperatorStatus {
  readonly operator_contact: { readonly recovery_gap: boolean };
  readonly critical_items: readonly { readonly kind: string }[];
  readonly operator_reachability: { readonly reachable: boolean };
}

const operatorStatus = async (cli: Cli): Promise<OperatorStatus> =>
  (await call<OperatorStatus>(cli, { method: 'GET', path: '/agent/v1/operator/status' })).body;

/** What needs a wallet, and tells nothing without one. */
const signed: ReadonlySet<string> = new Set(['tier', 'operator_health', 'recovery_posture']);

const doctor: Command = {
  words: 'doctor',
  summary: 'Check files, wallet, gateway and tier, and say what to do.',
  about: [
    'Every check answers, whatever became of the others. ok, warning, skipped and unknown are fine; anything else makes the exit code 1.',
  ],
  flags: [
    { name: 'only', type: 'string', choices: Object.keys(checks), placeholder: 'check', about: 'Only this check.' },
    { name: 'verbose', type: 'boolean', about: 'With the envelopes of checks that failed.' },
  ],
  examples: [
    ['Everything', 'doctor --human'],
    ['One thing', 'doctor --only api_reachable'],
  ],
  exits: { 1: 'a check failed' },
  async run({ cli, flags, exitWith }) {
    const only = flags.text('only');
    const names = only === undefined ? Object.keys(checks) : [only];
    const hasWallet = await findWallet(cli, await walletName(cli)).then(
      (wallet) => wallet !== undefined || cli.env.SVC_DELEGATE_TOKEN !== undefined,
      () => false,
    );
    const bar = progress(cli);
    let done = 0;
    const found = await Promise.all(
      names.map(async (name) => {
        const finding =
          signed.has(name) && !hasWallet
            ? { status: 'skipped', message: 'There is no wallet to ask with.' }
            : await checks[name]!(cli).catch((error: unknown) => failing(error, flags.is('verbose')));
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
