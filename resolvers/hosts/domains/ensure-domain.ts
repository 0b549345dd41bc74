import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { type DesiredDomain, hostNames, type ObservedDomain, projectDomains } from '../../../db/schema/hosts.ts';
import { mailDomains } from '../../../db/schema/mail-domains.ts';
import { computed, excluded, insertInto, namesOf, pick, setOf, statement } from '../../../db/sql.ts';
import { type DkimKey, makeDkimKey } from '../../../engines/mail/dkim.ts';
import { ownerOf, type ProjectScope } from '../../../kernel/access/access.ts';
import { holdRight } from '../../../kernel/access/hold-right.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { domainsPerProject } from '../../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { mailboxActions } from '../../mailboxes/shared/actions.ts';
import { sealDkimKey } from '../../mailboxes/shared/dkim-keys.ts';
import { ensureMailboxes } from '../../mailboxes/shared/open-mailbox.ts';
import { endReceiveTests } from '../../mailboxes/shared/receive-tests.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { desiredInput, desiredOf } from './desired.ts';
import { type mailInput, strategyOf } from './desired-mail.ts';
import { connectableDomain } from './domain-name.ts';
import { domainColumns, domainKey, findStatement, lockDomain, mailOwner, type ProjectDomain } from './domain-rows.ts';
import { lookAt, targetOf } from './look.ts';
import { admitToMail, onDomainsOf } from './on-domains.ts';
import { settleLook } from './settle-look.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

interface EnsuredDomain {
  readonly domain: ProjectDomain;
  /** Whether the project did not have it yet. */
  readonly isNew: boolean;
}

interface Prepared {
  readonly name: string;
  /** Of the domain once it is the project's; one that came first has its own. */
  readonly token: string;
  /** For a domain that is to send and has none. */
  readonly dkim: DkimKey | undefined;
  readonly observed: ObservedDomain | undefined;
}

/** `POST /projects/v1/:project_id/domains/:domain`. Contract 03, section 5.3. */
export const ensureDomain = mutation({
  name: 'domains.ensure',
  tool: 'domains_ensure',
  command: 'domains connect',
  effects: ['idempotent', 'openWorld'],
  duration: 'long',
  summary: 'Connect a domain of one’s own to a project, or change what is wanted of it; tells which records to set.',
  access: onDomainsOf(hostActions['project:domains:write']),
  lifecycle: 'owned',
  input: z.object({
    project: projectId,
    domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
    desired: desiredInput.optional(),
  }),
  async prepare(ctx, { project: projectId, domain, desired: wanted = {} }): Promise<Prepared> {
    const { services, project } = ctx;
    if (wanted.email !== undefined) await admitToMail(ctx, projectId);
    const name = connectableDomain(services, domain);
    const [known] = await services.db.rows(findStatement.with({ ...ownerOf(ctx), name }));
    const desired = desiredOf(wanted, name, known?.desired);
    const token = known?.token ?? randomBytes(20).toString('hex');
    const needsKey = desired.email?.send.enabled === true && (known?.dkimPublicKey ?? null) === null;
    const [dkim, observed] = await Promise.all([
      needsKey ? makeDkimKey() : undefined,
      lookAt(services, { name, desired, token }, targetOf(services, project.publicId)),
    ]);
    return { name, token, dkim, observed };
  },
  async handler(work, { desired: wanted = {} }, { name, token, dkim, observed }: Prepared): Promise<EnsuredDomain> {
    const { publicId } = await lockProjectFor(work, hostActions['project:domains:write']);
    const key = { ...ownerOf(work), name };
    const before = await lockDomain(work.rows, key);
    if (before === undefined) await requireRoom(work, key);
    if (wanted.email !== undefined) await openMailboxesFor(work, wanted.email);
    const desired = desiredOf(wanted, name, before?.desired);
    if (before !== undefined && wayOf(before.desired) !== wayOf(desired)) await endReceiveTests(work, mailOwner(key));
    const [row] = await work.rows(
      putStatement.with({
        ...key,
        token,
        desired: JSON.stringify(desired),
        dkimPublicKey: dkim?.publicKey ?? null,
        sealedDkimKey: dkim === undefined ? null : sealDkimKey(work.services.keys, key, dkim.privateKey),
      }),
    );
    return { domain: await settleLook(work, row!, publicId, observed), isNew: before === undefined };
  },
  audit: ({ domain: { name }, isNew }, _input, { project }) => ({
    action: isNew ? 'domain.connected' : 'domain.changed',
    object: { kind: 'domain', id: name },
    details: { project_id: project.id },
  }),
  wire: ProjectDomainWire,
  toWire: ({ domain }) => domainToWire(domain),
});

/** One more domain: it is nobody's for certain, and the project has few enough. @throws DOMAIN_CONFLICT, QUOTA_EXCEEDED */
async function requireRoom(
  work: Work,
  key: { readonly orgId: string; readonly projectId: string; readonly name: string },
): Promise<void> {
  const [counted] = await work.rows(countStatement.with(key));
  const { used, conflicting } = counted!;
  if (conflicting) throw new ServiceError('DOMAIN_CONFLICT', { details: { domain: key.name } });
  if (used >= domainsPerProject) throw quotaExceeded({ scope: 'project', metric: 'domains' }, domainsPerProject, used);
}

/** How mail comes in below a domain. */
const wayOf = ({ email }: DesiredDomain) => (email === undefined ? undefined : strategyOf(email));

/** Who may say which mailbox an address is may use mail. @throws NOT_AUTHORIZED, MAILBOX_NOT_FOUND */
async function openMailboxesFor(
  work: Work & ProjectScope,
  { mailbox_addresses: wanted }: z.output<typeof mailInput>,
): Promise<void> {
  await holdRight(work, mailboxActions['project:mail:write']);
  const mailboxes = (wanted?.addresses ?? []).map((one) => ({
    slug: one.mailbox_slug,
    isMade: one.create_mailbox === true,
  }));
  await ensureMailboxes(work, mailboxes);
}

const countStatement = statement(
  'domains.count',
  {
    params: domainKey,
    row: {
      used: computed<number>('integer', sql`count(*)::int`),
      // One whose proof is gone may lose it to the owner that comes.
      conflicting: computed<boolean>(
        'boolean',
        sql`exists (select from ${hostNames} held where held.name = $3 and held.project_id <> $2 and not exists (
            select from ${projectDomains} theirs where theirs.org_id = held.org_id and theirs.project_id = held.project_id
              and theirs.name = held.name and theirs.unproven_since is not null))
          or exists (select from ${projectDomains} theirs join ${mailDomains} held on held.org_id = theirs.org_id
            and held.project_id = theirs.project_id and held.domain = theirs.name
            where theirs.name = $3 and theirs.project_id <> $2 and theirs.unproven_since is null)`,
      ),
    },
  },
  ({ orgId, projectId: project }, row) => sql`select ${row} from ${projectDomains}
    where ${projectDomains.orgId} = ${orgId} and ${projectDomains.projectId} = ${project}`,
);

const putStatement = statement(
  'domains.put',
  {
    params: { ...domainKey, ...pick(projectDomains, 'desired', 'token', 'dkimPublicKey', 'sealedDkimKey') },
    row: domainColumns,
  },
  (given, row) => sql`${insertInto(projectDomains, given)}
    on conflict (${namesOf(projectDomains.orgId, projectDomains.projectId, projectDomains.name)}) do update
    ${setOf(projectDomains, {
      desired: excluded(projectDomains.desired),
      // A key stays: its record may be set already.
      dkimPublicKey: sql`coalesce(${projectDomains.dkimPublicKey}, ${excluded(projectDomains.dkimPublicKey)})`,
      sealedDkimKey: sql`coalesce(${projectDomains.sealedDkimKey}, ${excluded(projectDomains.sealedDkimKey)})`,
      updatedAt: sql`now()`,
    })} returning ${row}`,
);
