import { ServiceError } from '../../../core/errors.ts';
import { Lru } from '../../../core/lru.ts';
import { alias, sql } from '../../../db/drizzle.ts';
import { projectCredentials } from '../../../db/schema/project-credentials.ts';
import { computed, from, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import { grantHolds } from '../../../kernel/access/rules.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { useIsDue } from './session-stands.ts';

/** How long a credential is remembered as it was, in milliseconds: as long as its project. */
const rememberedMs = 1_000;

/** What a request needs to know of the credential that its key names; undefined for one without a row. */
export type CredentialRow = RowOf<typeof looked> | undefined;

interface Remembered {
  readonly row: CredentialRow;
  readonly until: number;
}

const remembered = new WeakMap<Services, Lru<Remembered>>();
/** The latest change on this node: what was asked for before it may not be remembered after it. */
const changes = new WeakMap<Services, number>();

/** Forgets the remembered credentials, because some were revoked here. It happens seldom, and each is one look. */
export function forgetCredentials(services: Services): void {
  remembered.delete(services);
  changes.set(services, (changes.get(services) ?? 0) + 1);
}

/** The credential as it is now. Notes its use when that is due. */
export async function lookUpCredential(services: Pick<Services, 'db' | 'log'>, id: string): Promise<CredentialRow> {
  const [row] = await services.db.rows(lookStatement.with({ id }));
  if (row?.useIsDue === true && row.state === 'holds') await noteUse(services, id);
  return row;
}

/**
 * Lets a key pass whose credential holds, as it was a second ago at most.
 *
 * @throws PROJECT_CREDENTIAL_INVALID, PROJECT_CREDENTIAL_EXPIRED
 */
export async function requireCredential(services: Services, id: string): Promise<void> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 10_000, bytes: 10_000 })));
  const found = known.get(id);
  const now = performance.now();
  if (found !== undefined && found.until > now) return refuseEndedCredential(found.row);
  const asked = changes.get(services);
  const row = await lookUpCredential(services, id);
  if (changes.get(services) === asked) known.set(id, { row, until: now + rememberedMs }, 1);
  refuseEndedCredential(row);
}

/** @throws PROJECT_CREDENTIAL_INVALID, PROJECT_CREDENTIAL_EXPIRED */
export function refuseEndedCredential(row: CredentialRow): void {
  if (row?.state === 'holds') return;
  throw new ServiceError(row?.state === 'expired' ? 'PROJECT_CREDENTIAL_EXPIRED' : 'PROJECT_CREDENTIAL_INVALID');
}

/** Those of some credentials that hold. */
export async function standingCredentials(
  { db }: Pick<Services, 'db'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.rows(standingStatement.with({ ids }));
  return new Set(rows.map(({ id }) => id));
}

/**
 * Notes that a credential was used. Nobody is refused because that could not be written: the next use is noted in its
 * stead.
 */
async function noteUse({ db, log }: Pick<Services, 'db' | 'log'>, id: string): Promise<void> {
  try {
    await db.rows(noteStatement.with({ id }));
  } catch (error) {
    log.warn({ err: error }, 'The use of a credential was not noted.');
  }
}

const looked = {
  ...pick(projectCredentials, 'expiresAt'),
  state: computed<'holds' | 'revoked' | 'expired'>(
    'text',
    sql`case when ${projectCredentials.revokedAt} is not null then 'revoked'
      when ${grantHolds(projectCredentials)} then 'holds' else 'expired' end`,
  ),
  useIsDue: computed<boolean>('boolean', useIsDue(projectCredentials)),
};

const lookStatement = statement(
  'identity.credential',
  { params: pick(projectCredentials, 'id'), row: looked, pipelined: true },
  ({ id }, row) => sql`select ${row} from ${projectCredentials} where ${projectCredentials.id} = ${id}`,
);

const standingStatement = statement(
  'identity.standing-credentials',
  { params: { ids: typed<readonly string[]>('text[]') }, row: pick(projectCredentials, 'id') },
  ({ ids }, row) => sql`select ${row} from ${projectCredentials}
    where ${projectCredentials.id} = any(${ids}::text[]) and ${grantHolds(projectCredentials)}`,
);

// Of all uses at once one writes, and none waits behind the holder of the row: by then it is noted, or over.
const noteStatement = statement(
  'identity.note-credential-use',
  { params: pick(projectCredentials, 'id') },
  ({ id }) => {
    const due = alias(projectCredentials, 'due');
    return sql`update ${projectCredentials} ${setOf(projectCredentials, { lastUsedAt: sql`now()` })}
      where (${projectCredentials.orgId}, ${projectCredentials.id}) in (
        select ${due.orgId}, ${due.id} from ${from(due)} where ${due.id} = ${id} and ${useIsDue(due)}
        for no key update skip locked)`;
  },
);
