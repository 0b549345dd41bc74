import { sql } from '../../../db/drizzle.ts';
import { projectDomains } from '../../../db/schema/hosts.ts';
import { mailAddresses, mailDomains } from '../../../db/schema/mail-domains.ts';
import { mailboxes } from '../../../db/schema/mailboxes.ts';
import { computed, insertInto, nameOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** A domain of a project, as `project_domains` has it. */
export interface DomainOfProject {
  readonly orgId: string;
  readonly projectId: string;
  readonly domain: string;
}

type Rows = Pick<Work, 'rows'>;

const ofDomain = pick(mailDomains, 'orgId', 'projectId', 'domain');
const isIt = (given: Record<'orgId' | 'projectId' | 'domain', unknown>) =>
  sql`${mailDomains.orgId} = ${given.orgId} and ${mailDomains.projectId} = ${given.projectId} and ${mailDomains.domain} = ${given.domain}`;

/** Who has the mail of a name, with what its owner has proven that by. The row is locked until the change is committed. */
export async function holderOfMail(
  work: Rows,
  name: string,
): Promise<(DomainOfProject & { readonly token: string | null }) | undefined> {
  const [holder] = await work.rows(holderStatement.with({ name }));
  return holder;
}

/** Gives mail of a name to a project that has none below its domain. @returns false when it is another's */
export async function holdMailDomain(work: Rows, held: DomainOfProject & { readonly name: string }): Promise<boolean> {
  await work.rows(holdStatement.with(held));
  const [mine] = await work.rows(heldStatement.with(held));
  return mine !== undefined;
}

/** Takes mail of a domain, with its addresses, from a project; nothing where it has none. */
export const letGoMailDomain = async (work: Rows, held: DomainOfProject): Promise<void> =>
  void (await work.rows(letGoStatement.with(held)));

/** Writes what a look at the mail of a domain has come to. */
export const setMailStanding = async (
  work: Rows,
  held: DomainOfProject & { readonly sends: boolean; readonly receives: boolean },
): Promise<void> => void (await work.rows(standingStatement.with(held)));

/** An address that is wanted of a domain. */
export interface WantedAddress {
  readonly localPart: string;
  readonly slug: string;
  /** Whether its mailbox writes from it. */
  readonly isPrimary: boolean;
}

/**
 * Makes the addresses of a domain the ones that are wanted; those whose mailbox there is none of are left out. An address that
 * stays is as active as before.
 */
export async function putAddresses(work: Rows, held: DomainOfProject, wanted: readonly WantedAddress[]): Promise<void> {
  const given = {
    ...held,
    localParts: wanted.map((one) => one.localPart),
    slugs: wanted.map((one) => one.slug),
    primaries: wanted.map((one) => one.isPrimary),
  };
  await work.rows(dropAddressesStatement.with(given));
  await work.rows(putAddressesStatement.with(given));
}

/** Has the addresses of a domain take effect. */
export const activateAddresses = async (work: Rows, held: DomainOfProject): Promise<void> =>
  void (await work.rows(activateStatement.with(held)));

const holderStatement = statement(
  'mail-domains.holder',
  {
    params: pick(mailDomains, 'name'),
    row: {
      ...ofDomain,
      token: computed<string | null>(
        'text',
        sql`(select ${projectDomains.token} from ${projectDomains} where ${projectDomains.orgId} = ${mailDomains.orgId}
          and ${projectDomains.projectId} = ${mailDomains.projectId} and ${projectDomains.name} = ${mailDomains.domain})`,
      ),
    },
  },
  ({ name }, row) =>
    sql`select ${row} from ${mailDomains} where ${mailDomains.name} = ${name} for update of ${mailDomains}`,
);

const named = { ...ofDomain, ...pick(mailDomains, 'name') };

// Addresses go with the name that they stand below.
const letGoStatement = statement(
  'mail-domains.let-go',
  { params: ofDomain },
  (given) => sql`with gone as (
    delete from ${mailDomains} where ${isIt(given)} returning ${nameOf(mailDomains.name)}
  ) delete from ${mailAddresses} where ${mailAddresses.mailDomain} in (select name from gone)`,
);

const holdStatement = statement(
  'mail-domains.hold',
  { params: named },
  (given) => sql`${insertInto(mailDomains, given)} on conflict do nothing`,
);

const heldStatement = statement(
  'mail-domains.held',
  { params: named, row: pick(mailDomains, 'name') },
  (given, row) => sql`select ${row} from ${mailDomains} where ${isIt(given)} and ${mailDomains.name} = ${given.name}`,
);

const standingStatement = statement(
  'mail-domains.standing',
  { params: { ...ofDomain, ...pick(mailDomains, 'sends', 'receives') } },
  (given) =>
    sql`update ${mailDomains} ${setOf(mailDomains, {
      sends: given.sends,
      sendsSince: sql`coalesce(${mailDomains.sendsSince}, case when ${given.sends}::boolean then now() end)`,
      receives: given.receives,
    })} where ${isIt(given)}`,
);

const wantedAddresses = {
  ...ofDomain,
  localParts: typed<readonly string[]>('text[]'),
  slugs: typed<readonly string[]>('text[]'),
  primaries: typed<readonly boolean[]>('boolean[]'),
};

const dropAddressesStatement = statement(
  'mail-domains.drop-addresses',
  { params: wantedAddresses },
  (given) => sql`delete from ${mailAddresses} using ${mailDomains}
    where ${isIt(given)} and ${mailAddresses.mailDomain} = ${mailDomains.name}
      and not exists (select from unnest(${given.localParts}::text[], ${given.slugs}::text[], ${given.primaries}::boolean[])
        wanted (local_part, slug, is_primary) join ${mailboxes} on ${mailboxes.orgId} = ${mailDomains.orgId}
          and ${mailboxes.projectId} = ${mailDomains.projectId} and ${mailboxes.slug} = wanted.slug and ${mailboxes.deletedAt} is null
        where wanted.local_part = ${mailAddresses.localPart} and ${mailboxes.id} = ${mailAddresses.mailboxId})`,
);

const putAddressesStatement = statement(
  'mail-domains.put-addresses',
  { params: wantedAddresses },
  (
    given,
  ) => sql`insert into ${mailAddresses} (mail_domain, local_part, org_id, project_id, mailbox_id, is_primary, position)
    select ${mailDomains.name}, wanted.local_part, ${mailDomains.orgId}, ${mailDomains.projectId}, ${mailboxes.id},
      wanted.is_primary, wanted.position
    from ${mailDomains}, unnest(${given.localParts}::text[], ${given.slugs}::text[], ${given.primaries}::boolean[])
      with ordinality wanted (local_part, slug, is_primary, position)
    join ${mailboxes} on ${mailboxes.slug} = wanted.slug and ${mailboxes.deletedAt} is null
    where ${isIt(given)} and ${mailboxes.orgId} = ${mailDomains.orgId} and ${mailboxes.projectId} = ${mailDomains.projectId}
    on conflict (mail_domain, local_part) do update set is_primary = excluded.is_primary, position = excluded.position`,
);

const activateStatement = statement(
  'mail-domains.activate',
  { params: ofDomain },
  (given) => sql`update ${mailAddresses} ${setOf(mailAddresses, { activatedAt: sql`now()` })} from ${mailDomains}
    where ${isIt(given)} and ${mailAddresses.mailDomain} = ${mailDomains.name} and ${mailAddresses.activatedAt} is null`,
);
