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
import { wantedMail } from './desired-mail.ts';
import { factsOf, findDomain, lockNamedDomain, mailOwner, type ProjectDomain, standing } from './domain-rows.ts';
import { lookAt, targetOf } from './look.ts';
import { admitToMail, onDomainsOf } from './on-domains.ts';
import { settleLook } from './settle-look.ts';
import { isReady } from './settle-mail.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

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
  async prepare(ctx, { project: projectId, domain }): Promise<ObservedDomain | undefined> {
    const { services, project } = ctx;
    await admitToMail(ctx, projectId);
    const row = await findDomain(services.db.rows, ctx, domain);
    return lookAt(services, row, targetOf(services, project.publicId));
  },
  async handler(work, { domain }, observed): Promise<ProjectDomain> {
    const { services } = work;
    const { publicId } = await lockProjectFor(work, hostActions['project:domains:write']);
    await holdRight(work, mailboxActions['project:mail:write']);
    const row = await lockNamedDomain(work, domain);
    const settled = await settleLook(work, row, publicId, observed);
    const email = wantedMail(settled.desired);
    if (email === undefined || settled.mail === null || !isReady({ ...factsOf(services, settled, publicId), email }))
      throw notReady(settled);
    await activateAddresses(work, mailOwner(row));
    return standing(services, await lockNamedDomain(work, domain), publicId);
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
