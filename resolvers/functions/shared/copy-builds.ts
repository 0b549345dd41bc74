import { alias, sql } from '../../../db/drizzle.ts';
import { functionBuilds, releaseFunctions } from '../../../db/schema/functions.ts';
import { from, insertSelect, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { buildsOfStatement } from './build-rows.ts';

/** A release of one project, and its copy in another one. */
export interface BuildsCopy {
  readonly source: ReleaseOwner;
  readonly release: string;
  readonly target: ReleaseOwner;
  readonly copy: string;
}

interface ReleaseOwner {
  readonly orgId: string;
  readonly projectId: string;
}

/** Has the copy of a release run the builds that the release runs. @returns the SHA-256 of what they are in */
export async function copyBuilds(work: Work, { source, release, target, copy }: BuildsCopy): Promise<string[]> {
  const builds = await work.rows(buildsOfStatement.with({ ...source, releaseId: release }));
  const of = {
    sourceOrg: source.orgId,
    source: source.projectId,
    release,
    targetOrg: target.orgId,
    target: target.projectId,
  };
  if (builds.length === 0) return [];
  await work.rows(copyBuildsStatement.with(of));
  await work.rows(copyNamesStatement.with({ ...of, copy }));
  return builds.flatMap(({ bundleSha256, mapSha256 }) => [bundleSha256, mapSha256]);
}

const build = alias(functionBuilds, 'build');
const named = alias(releaseFunctions, 'named');

const params = {
  sourceOrg: typed<string>('uuid'),
  source: typed<string>('text'),
  release: typed<string>('text'),
  targetOrg: typed<string>('uuid'),
  target: typed<string>('text'),
};

const copyBuildsStatement = statement(
  'functions.copy-builds',
  { params },
  ({ sourceOrg, source, release, targetOrg, target }) =>
    sql`${insertSelect(
      functionBuilds,
      {
        orgId: sql`${targetOrg}::uuid`,
        projectId: target,
        fingerprint: sql`${build.fingerprint}`,
        codeHash: sql`${build.codeHash}`,
        runtimeVersion: sql`${build.runtimeVersion}`,
        depsResolved: sql`${build.depsResolved}`,
        lock: sql`${build.lock}`,
        bundleSha256: sql`${build.bundleSha256}`,
        bundleSize: sql`${build.bundleSize}`,
        mapSha256: sql`${build.mapSha256}`,
      },
      sql`from ${from(build)} where ${build.orgId} = ${sourceOrg} and ${build.projectId} = ${source}
        and ${build.fingerprint} in (select ${named.fingerprint} from ${from(named)} where ${named.orgId} = ${sourceOrg}
          and ${named.projectId} = ${source} and ${named.releaseId} = ${release})`,
    )} on conflict do nothing`,
);

const copyNamesStatement = statement(
  'functions.copy-names',
  { params: { ...params, copy: typed<string>('text') } },
  ({ sourceOrg, source, release, targetOrg, target, copy }) =>
    insertSelect(
      releaseFunctions,
      {
        orgId: sql`${targetOrg}::uuid`,
        projectId: target,
        releaseId: copy,
        name: sql`${named.name}`,
        fingerprint: sql`${named.fingerprint}`,
      },
      sql`from ${from(named)} where ${named.orgId} = ${sourceOrg} and ${named.projectId} = ${source}
      and ${named.releaseId} = ${release}`,
    ),
);
