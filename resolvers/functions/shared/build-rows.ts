import { alias, sql } from '../../../db/drizzle.ts';
import { functionBuilds, releaseFunctions } from '../../../db/schema/functions.ts';
import { excluded, from, insertInto, namesOf, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';

/** The same functions of an earlier release. */
const before = alias(releaseFunctions, 'before');

const namedColumns = namesOf(
  releaseFunctions.orgId,
  releaseFunctions.projectId,
  releaseFunctions.releaseId,
  releaseFunctions.name,
  releaseFunctions.fingerprint,
  releaseFunctions.updatedAt,
);

const ofProject = pick(functionBuilds, 'orgId', 'projectId');

const buildColumns = pick(
  functionBuilds,
  'fingerprint',
  'codeHash',
  'runtimeVersion',
  'depsResolved',
  'lock',
  'bundleSha256',
  'bundleSize',
  'mapSha256',
);

export type FunctionBuild = RowOf<typeof buildColumns>;

/** Those builds of a project that are there already. */
export const findBuildsStatement = statement(
  'functions.find-builds',
  { params: { ...ofProject, fingerprints: typed<readonly string[]>('text[]') }, row: buildColumns },
  (given, row) => sql`select ${row} from ${functionBuilds} where ${functionBuilds.orgId} = ${given.orgId}
    and ${functionBuilds.projectId} = ${given.projectId}
    and ${functionBuilds.fingerprint} = any(${given.fingerprints}::text[])`,
);

/** Keeps a build, in place of the one that was made of the same before. */
export const keepBuildStatement = statement(
  'functions.keep-build',
  { params: { ...ofProject, ...buildColumns } },
  (given) => sql`${insertInto(functionBuilds, given)}
    on conflict (${namesOf(functionBuilds.orgId, functionBuilds.projectId, functionBuilds.fingerprint)}) do update
    ${setOf(functionBuilds, {
      depsResolved: excluded(functionBuilds.depsResolved),
      lock: excluded(functionBuilds.lock),
      bundleSha256: excluded(functionBuilds.bundleSha256),
      bundleSize: excluded(functionBuilds.bundleSize),
      mapSha256: excluded(functionBuilds.mapSha256),
    })}`,
);

/**
 * Says which builds the functions of a release run. A function that is as it was in another release has been so since it was
 * there. May be repeated.
 */
export const nameBuildsStatement = statement(
  'functions.name-builds',
  {
    params: {
      ...pick(releaseFunctions, 'orgId', 'projectId', 'releaseId'),
      names: typed<readonly string[]>('text[]'),
      fingerprints: typed<readonly string[]>('text[]'),
      base: typed<string | null>('text'),
      unchanged: typed<readonly string[]>('text[]'),
    },
  },
  ({ orgId, projectId, releaseId, names, fingerprints, base, unchanged }) => sql`insert into ${releaseFunctions}
    (${namedColumns})
    select ${orgId}::uuid, ${projectId}, ${releaseId}, given.name, given.fingerprint, coalesce(${before.updatedAt}, now())
    from unnest(${names}::text[], ${fingerprints}::text[]) as given (name, fingerprint)
    left join ${from(before)} on ${before.orgId} = ${orgId}::uuid and ${before.projectId} = ${projectId}
      and ${before.releaseId} = ${base} and ${before.name} = given.name and given.name = any(${unchanged}::text[])
    on conflict do nothing`,
);

/** The same for a release whose functions all have the builds of another release. */
export const carryBuildsStatement = statement(
  'functions.carry-builds',
  {
    params: {
      ...pick(releaseFunctions, 'orgId', 'projectId', 'releaseId'),
      names: typed<readonly string[]>('text[]'),
      base: typed<string>('text'),
      unchanged: typed<readonly string[]>('text[]'),
    },
  },
  ({ orgId, projectId, releaseId, names, base, unchanged }) => sql`insert into ${releaseFunctions} (${namedColumns})
    select ${before.orgId}, ${before.projectId}, ${releaseId}, ${before.name}, ${before.fingerprint},
      case when ${before.name} = any(${unchanged}::text[]) then ${before.updatedAt} else now() end
    from ${from(before)} where ${before.orgId} = ${orgId} and ${before.projectId} = ${projectId}
      and ${before.releaseId} = ${base} and ${before.name} = any(${names}::text[])`,
);

/** The build that a function of a release runs. */
export const buildOfStatement = statement(
  'functions.build-of',
  {
    params: pick(releaseFunctions, 'orgId', 'projectId', 'releaseId', 'name'),
    row: pick(functionBuilds, 'fingerprint', 'bundleSha256', 'bundleSize'),
    pipelined: true,
  },
  (given, row) => sql`select ${row} from ${releaseFunctions}
    join ${functionBuilds} on ${functionBuilds.orgId} = ${releaseFunctions.orgId}
      and ${functionBuilds.projectId} = ${releaseFunctions.projectId}
      and ${functionBuilds.fingerprint} = ${releaseFunctions.fingerprint}
    where ${releaseFunctions.orgId} = ${given.orgId} and ${releaseFunctions.projectId} = ${given.projectId}
      and ${releaseFunctions.releaseId} = ${given.releaseId} and ${releaseFunctions.name} = ${given.name}`,
);

/** The builds of the functions of a release, by their names. */
export const buildsOfStatement = statement(
  'functions.builds-of',
  {
    params: pick(releaseFunctions, 'orgId', 'projectId', 'releaseId'),
    row: { ...pick(releaseFunctions, 'name'), ...buildColumns },
  },
  (given, row) => sql`select ${row} from ${releaseFunctions}
    join ${functionBuilds} on ${functionBuilds.orgId} = ${releaseFunctions.orgId}
      and ${functionBuilds.projectId} = ${releaseFunctions.projectId}
      and ${functionBuilds.fingerprint} = ${releaseFunctions.fingerprint}
    where ${releaseFunctions.orgId} = ${given.orgId} and ${releaseFunctions.projectId} = ${given.projectId}
      and ${releaseFunctions.releaseId} = ${given.releaseId}`,
);

/** Has a function of a release run another build. */
export const rebuildStatement = statement(
  'functions.rebuild',
  { params: pick(releaseFunctions, 'orgId', 'projectId', 'releaseId', 'name', 'fingerprint') },
  (given) => sql`update ${releaseFunctions} ${setOf(releaseFunctions, { fingerprint: given.fingerprint })}
    where ${releaseFunctions.orgId} = ${given.orgId} and ${releaseFunctions.projectId} = ${given.projectId}
      and ${releaseFunctions.releaseId} = ${given.releaseId} and ${releaseFunctions.name} = ${given.name}`,
);
