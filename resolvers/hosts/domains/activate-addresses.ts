import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { ObservedDomain } from '../../../db/schema/hosts.ts';
import { holdRight } from '../../../kernel/access/hold-right.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { mailboxActions } from '../../mailboxes/shared/actions.ts';
import { activateAddresses } from '../../mailboxes/shared/mail-domains.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { wantsMail } from './desired-mail.ts';
import { domainNotFound, factsOf, findDomain, lockDomain, type ProjectDomain, standing } from './domain-rows.ts';
import { lookAt, targetOf } from './look.ts';
import { admitToMail, onDomainsOf } from './on-domains.ts';
import { settleLook } from './settle-look.ts';
import { isReady } from './settle-mail.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

interface Looked {
  readonly name: string;
  readonly observed: ObservedDomain | undefined;
}

/** `POST /projects/v1/:project_id/domains/:domain/actions/activate_mailbox_addresses`. Contract 03, section 5.3. */
export const activateDomain = mutation({
  name: 'domains.activate',
  tool: 'domains_activate',
  command: 'domains activate',
  effects: ['idempotent', 'openWorld'],
  duration: 'long',
  summary: 'Have the addresses of mailboxes below a domain take effect, once the records for its mail are right.',
  access: onDomainsOf(hostActions['project:domains:write']),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
  }),
  async prepare(ctx, { project: projectId, domain }): Promise<Looked> {
    const { services, project } = ctx;
    await admitToMail(ctx, projectId);
    const row = await findDomain(services.db.rows, ctx, domain);
    return { name: row.name, observed: await lookAt(services, row, targetOf(services, project.publicId)) };
  },
  async handler(work, { domain }, { name, observed }: Looked): Promise<ProjectDomain> {
    const { services, org, project } = work;
    const { publicId } = await lockProjectFor(work, hostActions['project:domains:write']);
    await holdRight(work, mailboxActions['project:mail:write']);
    const key = { orgId: org.id, projectId: project.id, name };
    const row = await lockDomain(work.rows, key);
    if (row === undefined) throw domainNotFound(domain);
    const settled = await settleLook(work, row, publicId, observed);
    const { email } = settled.desired;
    const facts = email === undefined ? undefined : { ...factsOf(services, settled, publicId), email };
    if (facts === undefined || !wantsMail(settled.desired) || settled.mail === null || !isReady(facts))
      throw notReady(settled);
    await activateAddresses(work, { orgId: org.id, projectId: project.id, domain: name });
    return standing(services, (await lockDomain(work.rows, key))!, publicId);
  },
  audit: ({ name }, _input, { project }) => ({
    action: 'domain.addresses_activated',
    object: { kind: 'domain', id: name },
    details: { project_id: project.id },
  }),
  wire: ProjectDomainWire,
  toWire: domainToWire,
});

/** Tells which checks of a domain stand in the way. */
export const notReady = ({ name, checks }: ProjectDomain) =>
  new ServiceError('DOMAIN_MAIL_NOT_READY', {
    details: {
      domain: name,
      checks: checks
        .filter(({ blocking, status }) => blocking && status !== 'passed')
        .map(({ id, status, reasonCode }) => ({ id, status, reason_code: reasonCode ?? null })),
    },
  });
