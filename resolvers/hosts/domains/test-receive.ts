import { z } from 'zod';
import { invalidField } from '../../../core/errors.ts';
import { holdRight } from '../../../kernel/access/hold-right.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { mailboxActions } from '../../mailboxes/shared/actions.ts';
import { sendReceiveTest } from '../../mailboxes/shared/receive-tests.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { hostActions } from '../shared/actions.ts';
import { notReady } from './activate-addresses.ts';
import { lockNamedDomain, mailOwner, type ProjectDomain, standing } from './domain-rows.ts';
import { admitToMail, onDomainsOf } from './on-domains.ts';
import { domainToWire, ProjectDomainWire } from './wire.ts';

/** `POST /projects/v1/:project_id/domains/:domain/actions/test_receive`. Contract 03, section 5.3. */
export const testDomainReceive = mutation({
  name: 'domains.testReceive',
  tool: 'domains_test_receive',
  command: 'domains test-receive',
  effects: ['openWorld'],
  summary: 'Send a mail to an address below a domain, to see whether it arrives at its mailbox.',
  access: onDomainsOf(hostActions['project:domains:write']),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    domain: z.string().min(1).max(1024).describe('The domain, also in Unicode: `shop.example.com`.'),
    to: z
      .string()
      .trim()
      .toLowerCase()
      .min(1)
      .max(64)
      .describe('What stands before the `@`: one of the addresses wanted.'),
  }),
  prepare: (ctx, { project: projectId }): Promise<void> => admitToMail(ctx, projectId),
  async handler(work, { domain, to }): Promise<ProjectDomain> {
    const { services } = work;
    const { publicId } = await lockProjectFor(work, hostActions['project:domains:write']);
    await holdRight(work, mailboxActions['project:mail:write']);
    const row = await lockNamedDomain(work, domain);
    const { mail, desired } = row;
    if (mail === null || desired.email?.receive.enabled !== true || !services.settings.receivesMail)
      throw notReady(standing(services, row, publicId));
    const address = mail.addresses.find((one) => one.localPart === to);
    if (address === undefined) throw invalidField('to', 'is none of the addresses of the domain');
    await sendReceiveTest(work, {
      domain: mailOwner(row),
      localPart: to,
      address: `${to}@${mail.name}`,
      mailbox: { id: address.mailboxId, slug: address.slug },
      publicId,
    });
    return standing(services, await lockNamedDomain(work, domain), publicId);
  },
  audit: ({ name, receiveTests: [latest] }, _input, { project }) => ({
    action: 'domain.receive_tested',
    object: { kind: 'domain', id: name },
    details: { project_id: project.id, receive_test_id: latest!.id, address: latest!.address },
  }),
  wire: ProjectDomainWire,
  toWire: domainToWire,
});
