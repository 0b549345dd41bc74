import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Cli } from './cli.ts';
import type { Flags } from './command.ts';
import { local } from './failure.ts';
import { isAbsent } from './files/json-file.ts';
import { configDir } from './files/paths.ts';
import { keptKeys } from './files/project-keys.ts';
import { findWallet, walletName } from './files/wallets.ts';
import { readJson } from './input.ts';
import { apiBase } from './net/api-base.ts';
import { noCredential } from './net/credential.ts';
import { call } from './net/gateway.ts';
import { findOrg, requireOrgOrProject, requireProject } from './resolve.ts';

/** The result of a check. Contract 04, section 3.10. */
export interface Finding {
  readonly status: 'ok' | 'warning' | 'missing' | 'error' | 'skipped' | 'unknown' | (string & {});
  readonly value?: unknown;
  readonly hint?: string;
  readonly message?: string;
}

/** The checks of `svc doctor`, in the order of its output. */
export const checks: Readonly<Record<string, (cli: Cli, flags: Flags) => Promise<Finding>>> = {
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
  async cli_update(cli, flags) {
    if (cli.env.SVC_NO_UPDATE_CHECK !== undefined)
      return { status: 'skipped', message: 'SVC_NO_UPDATE_CHECK says not to look.' };
    if (!flags.is('refresh')) return { status: 'skipped', message: 'Looked for with --refresh alone.' };
    // This program is part of the gateway, and has the version of the clone that it was built from.
    const { deployment } = await statusOf(cli);
    const value = { installed: cli.version, gateway: deployment?.version ?? null };
    if (value.gateway === null) return { status: 'unknown', value, message: 'The gateway tells no version.' };
    return isNewer(value.gateway, value.installed)
      ? { status: 'warning', value, hint: 'The gateway is newer: git pull and npm run build:cli in its clone.' }
      : { status: 'ok', value };
  },
  async allowance(cli) {
    const name = await walletName(cli);
    const wallet = await findWallet(cli, name);
    return wallet === undefined
      ? { status: 'missing', value: { name }, hint: 'svc init makes a wallet.' }
      : { status: 'ok', value: { name, address: wallet.address, rail: wallet.rail } };
  },
  async projects(cli, flags) {
    const kept = await keptKeys(cli, (await apiBase(cli)).url);
    const value = { project_count: Object.keys(kept).length };
    const named = flags.text('project');
    if (named === undefined) return { status: 'ok', value };
    const project_id = await requireProject(cli, { '--project': named });
    return kept[project_id] === undefined
      ? { status: 'missing', value: { ...value, project_id }, hint: `svc projects keys --project ${project_id}` }
      : { status: 'ok', value: { ...value, project_id } };
  },
  async api_reachable(cli) {
    const { url, source } = await apiBase(cli);
    const { status = null, deployment } = await statusOf(cli);
    return { status: 'ok', value: { api_base: url, source, status, version: deployment?.version ?? null } };
  },
  async functions_isolation(cli) {
    const { functions_isolation: value } = await statusOf(cli);
    if (value === undefined) return { status: 'unknown', message: 'The gateway does not tell.' };
    return value === 'required'
      ? { status: 'ok', value }
      : {
          status: 'warning',
          value,
          message: 'Functions run without isolation where a machine cannot keep them apart.',
          hint: 'The operator allows it by SVC_FUNCTIONS_ISOLATION.',
        };
  },
  async models(cli) {
    const { body } = await call<{ readonly checks: { readonly ai?: string } }>(cli, {
      method: 'GET',
      path: '/health',
      credential: noCredential,
    });
    switch (body.checks.ai) {
      case 'ok':
        return { status: 'ok' };
      case 'down':
        return {
          status: 'warning',
          message: 'A server of models does not answer: what asks it is refused.',
          hint: 'The operator looks at AI_URL, its key and the log.',
        };
      default:
        return { status: 'skipped', message: 'The gateway asks no models.' };
    }
  },
  async tier(cli, flags) {
    const project = flags.text('project');
    const org = project === undefined ? await findOrg(cli) : await requireOrgOrProject(cli, { project });
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
    const gaps = [...new Set(items.map(({ kind }) => kind))];
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
  async runtime_staleness(cli, flags) {
    const named = flags.text('project');
    if (named === undefined) return { status: 'skipped', message: 'Looked for in the project that --project names.' };
    const project = await requireProject(cli, { '--project': named });
    const { body } = await call<{ readonly functions: readonly { name: string; runtime_stale: boolean }[] }>(cli, {
      method: 'GET',
      path: `/projects/v1/admin/${project}/functions`,
    });
    const stale = body.functions.filter((one) => one.runtime_stale).map(({ name }) => name);
    const value = { functions: body.functions.length, stale };
    return stale.length === 0
      ? { status: 'ok', value }
      : { status: 'warning', value, hint: 'The next deploy builds them anew: svc deploy apply.' };
  },
  async source_scan(cli, flags) {
    if (flags.is('no-scan')) return { status: 'skipped', message: '--no-scan says not to look.' };
    if (cli.env.SVC_DEPLOY_SKIP_SCAN === '1')
      return { status: 'skipped', message: 'SVC_DEPLOY_SKIP_SCAN says not to look.' };
    const { checkoutFolder, scanFolder, scanSpecification } = await import('./source-scan.ts');
    const manifest = flags.text('manifest');
    const named = flags.text('scan-dir');
    const folder = named === undefined ? await checkoutFolder(cli.cwd) : resolve(cli.cwd, named);
    if (manifest === undefined && folder === undefined)
      return { status: 'skipped', message: 'This folder is no checkout.', hint: '--scan-dir names one.' };
    const { files, findings } =
      manifest === undefined
        ? await scanFolder(await existing(folder!))
        : await scanSpecification(await readJson(cli, manifest, 'manifest'), dirname(resolve(cli.cwd, manifest)));
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const warnings = findings.length - errors;
    const value = { files, findings: findings.length, errors, warnings, details: findings };
    return { status: errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'ok', value };
  },
};

/** @throws FILE_NOT_FOUND */
async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return folder;
  throw local('FILE_NOT_FOUND', `There is no folder ${folder}.`, { field: 'scan-dir', details: { path: folder } });
}

interface GatewayStatus {
  readonly status?: string;
  readonly deployment?: { readonly version?: string };
  readonly functions_isolation?: string;
}

const statusOf = async (cli: Cli): Promise<GatewayStatus> =>
  (await call<GatewayStatus>(cli, { method: 'GET', path: '/status', credential: noCredential })).body;

/** Whether a version such as 1.10.0 is newer than another. */
function isNewer(version: string, than: string): boolean {
  const [numbers, others] = [version, than].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  const at = numbers.findIndex((number, place) => number !== others[place]);
  return at !== -1 && numbers[at]! > (others[at] ?? 0);
}

interface OperatorStatus {
  readonly operator_contact: { readonly recovery_gap: boolean };
  readonly critical_items: readonly { readonly kind: string }[];
  readonly operator_reachability: { readonly reachable: boolean };
}

const operatorStatus = async (cli: Cli): Promise<OperatorStatus> =>
  (await call<OperatorStatus>(cli, { method: 'GET', path: '/agent/v1/operator/status' })).body;
