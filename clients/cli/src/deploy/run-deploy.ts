import { resolve } from 'node:path';
import { type DeployPlanAnswer, deploy } from '../../../sdk/src/deploy/index.ts';
import { SvcError } from '../../../sdk/src/errors.ts';
import type { Call } from '../command.ts';
import { Failure, local } from '../failure.ts';
import { connection } from '../net/gateway.ts';
import { note, progress } from '../progress.ts';

/** Exit code of a deploy that was begun and failed. */
const failedExit = 3;

type Json = Readonly<Record<string, unknown>>;

/** What of a plan is shown. */
const shownPlan = (plan: DeployPlanAnswer): Json => ({
  summary: plan.summary,
  is_noop: plan.is_noop,
  base_release_id: plan.base_release_id,
  upload_bytes: plan.missing_content.reduce((sum, { size, present }) => (present ? sum : sum + size), 0),
  warnings: plan.warnings,
  site: plan.site,
  migrations: plan.migrations,
  routes: plan.routes,
  secrets: plan.secrets,
  subdomains: plan.subdomains,
  functions: plan.functions,
  ...(plan.asset_entries === undefined ? {} : { asset_entries: plan.asset_entries }),
  ...(plan.asset_deletes === undefined ? {} : { asset_deletes: plan.asset_deletes }),
  ...(plan.asset_sync === undefined ? {} : { asset_sync: plan.asset_sync }),
});

/**
 * Deploys a specification, and shows how far it has come.
 *
 * @param base folder that its paths are meant from
 * @throws Failure with the gateway's envelope, or with the first warning that nobody agreed to
 */
export async function runDeploy(
  { cli, flags, exitWith }: Call,
  project: string,
  spec: Json,
  base: string,
): Promise<Json> {
  const bar = progress(cli);
  const way = await connection(cli, { project, approval: { action: 'project.deploy', project_id: project } });
  try {
    const {
      plan,
      deploy: done,
      assets,
    } = await deploy(way, project, spec, {
      base: resolve(cli.cwd, base),
      dryRun: flags.is('plan'),
      allowWarnings: flags.is('allow-warnings') ? true : (flags.list('allow-warning') ?? []),
      signal: cli.signal,
      onPlan: ({ summary, warnings }) => {
        bar.end();
        note(cli, summary);
        for (const { severity, code, message } of warnings) note(cli, `${severity}: ${code}: ${message}`);
      },
      onUpload: ({ sent, missing }) => bar.at('Uploading', missing === 0 ? undefined : sent / missing),
      onEvent: ({ type, phase, status, resource, line }) => {
        if (type === 'log') {
          bar.end();
          note(cli, `${String(resource)}: ${String(line)}`);
        }
        if (type === 'commit.phase' && status === 'started') bar.at(`Deploying: ${String(phase)}`);
      },
    });
    if (done === undefined) return shownPlan(plan);
    return {
      status: done.status,
      operation_id: done.operation_id,
      release_id: done.release_id,
      url: done.urls?.site,
      deployment_id: done.urls?.deployment_id,
      summary: plan.summary,
      warnings: plan.warnings,
      ...(assets === undefined ? {} : { assets }),
    };
  } catch (error) {
    throw asFailure(error, exitWith);
  } finally {
    bar.end();
  }
}

/** What the gateway, or the deploy itself, has failed with, unchanged. */
export function asFailure(error: unknown, exitWith: (code: number) => void): unknown {
  if (error instanceof SvcError) {
    const begun = 'operation_id' in error.envelope && error.status === 0;
    if (begun) exitWith(failedExit);
    return new Failure({ message: error.message, ...error.envelope, status: 'error' }, begun ? failedExit : 1);
  }
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return local('FILE_NOT_FOUND', `There is no ${path}.`, { field: 'dir' });
  if (code === 'ENOTDIR') return local('BAD_FILE', `${path} is no folder.`, { field: 'dir' });
  return error;
}
