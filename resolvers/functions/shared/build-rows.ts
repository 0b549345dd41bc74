import { sql } from '../../../db/drizzle.ts';
import { functionBuilds, releaseFunctions } from '../../../db/schema/functions.ts';
import { excluded, insertInto, namesOf, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';

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

/** Says which builds the functions of a release run. May be repeated. */
export const nameBuildsStatement = statement(
  'functions.name-builds',
  {
    params: {
      ...pick(releaseFunctions, 'orgId', 'projectId', 'releaseId'),
      names: typed<readonly string[]>('text[]'),
      fingerprints: typed<readonly string[]>('text[]'),
    },
  },
  ({ orgId, projectId, releaseId, names, fingerprints }) => sql`insert into ${releaseFunctions}
    (${namesOf(
      releaseFunctions.orgId,
      releaseFunctions.projectId,
      releaseFunctions.releaseId,
      releaseFunctions.name,
      releaseFunctions.fingerprint,
    )})
    select ${orgId}::uuid, ${projectId}, ${releaseId}, given.name, given.fingerprint
    from unnest(${names}::text[], ${fingerprints}::text[]) as given (name, fingerprint)
    on conflict do nothing`,
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
