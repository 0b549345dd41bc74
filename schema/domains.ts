import { activateDomain } from '../resolvers/hosts/domains/activate-addresses.ts';
import { applyDomain, checkDomain, repairDomain } from '../resolvers/hosts/domains/check-domain.ts';
import { disconnectDomain } from '../resolvers/hosts/domains/disconnect-domain.ts';
import type { ProjectDomain } from '../resolvers/hosts/domains/domain-rows.ts';
import { ensureDomain } from '../resolvers/hosts/domains/ensure-domain.ts';
import { getDomain, listDomains } from '../resolvers/hosts/domains/get-domain.ts';
import { testDomainReceive } from '../resolvers/hosts/domains/test-receive.ts';
import { domainToWire, type ProjectDomainShown } from '../resolvers/hosts/domains/wire.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const DomainStatusEnum = builder.enumType('DomainStatus', {
  description: 'How a domain stands.',
  values: {
    ACTION_REQUIRED: { value: 'action_required', description: 'Its owner has to set records.' },
    WAITING: { value: 'waiting', description: 'The records are there; its certificate is being ordered.' },
    ACTIVE: { value: 'active', description: 'Serves.' },
    NEEDS_REPAIR: { value: 'needs_repair', description: 'A record has drifted.' },
    FAILED: { value: 'failed', description: 'Serves no more, until it is repaired.' },
  } as const,
});

const DomainRoleEnum = builder.enumType('DomainRole', {
  description: 'What a domain is to its project.',
  values: {
    PRIMARY: { value: 'primary', description: 'The address of the project.' },
    ALIAS: { value: 'alias', description: 'Another name for it.' },
  } as const,
});

const DomainAuthorityEnum = builder.enumType('DomainAuthority', {
  description: 'Who sets the records of a domain.',
  values: {
    MANUAL_DNS: { value: 'manual_dns', description: 'Its owner.' },
    HOSTED_DNS_ZONE: { value: 'hosted_dns_zone', description: 'The gateway, which does not offer it.' },
  } as const,
});

const ReceiveStrategyEnum = builder.enumType('DomainReceiveStrategy', {
  description: 'How mail comes in below a domain.',
  values: {
    AUTO: { value: 'auto', description: 'All of it where the domain has no mail server, else that of a subdomain.' },
    OUTBOUND_ONLY: { value: 'outbound_only', description: 'None does.' },
    FORWARDING_MODE: { value: 'forwarding_mode', description: 'What the present mail server forwards.' },
    SUBDOMAIN_MODE: { value: 'subdomain_mode', description: 'That of a subdomain.' },
    FULL_RECEIVE_TAKEOVER: { value: 'full_receive_takeover', description: 'All mail of the domain.' },
  } as const,
});

const AddressModeEnum = builder.enumType('DomainAddressMode', {
  description: 'What addresses below a domain are to their mailboxes.',
  values: {
    PRIMARY: { value: 'primary', description: 'Mailboxes write from them.' },
    ALIAS: { value: 'alias', description: 'Mailboxes receive by them alone.' },
    MANAGED: { value: 'managed', description: 'There are none beside the managed ones.' },
    NONE: { value: 'none', description: 'There are none.' },
  } as const,
});

const AddressActivationEnum = builder.enumType('DomainAddressActivation', {
  description: 'When addresses below a domain take effect.',
  values: {
    AUTOMATIC_WHEN_READY: { value: 'automatic_when_ready', description: 'Once all is right.' },
    MANUAL: { value: 'manual', description: 'When they are activated.' },
  } as const,
});

const DomainRecordRef = builder.objectRef<ProjectDomainShown['dns_records'][number]>('DomainRecord').implement({
  description: 'A record that the owner of a domain sets.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Names the record among those of the domain.' }),
    purpose: t.exposeString('purpose', {
      description: '`ownership`, `routing`, `mail_signature`, `mail_routing` or `mail_policy`.',
    }),
    type: t.exposeString('type', { description: 'Kind of record, for example `CNAME`.' }),
    name: t.exposeString('name', { description: 'Whole name that it stands at.' }),
    value: t.exposeString('value', { description: 'What it says.' }),
    valueParts: t.stringList({
      nullable: true,
      description: 'The same in parts of 255 letters, for panels that want a long value so.',
      resolve: (record) => record.value_parts ?? null,
    }),
    priority: t.int({
      nullable: true,
      description: 'Of a mail server among others.',
      resolve: (record) => record.priority ?? null,
    }),
    required: t.exposeBoolean('required', {
      description: 'Whether something that is wanted of the domain does not work without it.',
    }),
    status: t.exposeString('status', { description: '`unknown`, `missing`, `present` or `conflict`.' }),
    safety: t.field({ type: 'JSON', description: 'What programs may do about it.', resolve: ({ safety }) => safety }),
  }),
});

const DomainCheckRef = builder.objectRef<ProjectDomainShown['checks'][number]>('DomainCheck').implement({
  description: 'One thing that has to hold for a domain to serve.',
  fields: (t) => ({
    id: t.exposeString('id', {
      description:
        '`ownership`, `routing`, `binding` or `certificate`; of mail `mail_binding`, `dkim`, `spf`, `dmarc`, `mail_routing` or `mailbox_addresses`.',
    }),
    status: t.exposeString('status', {
      description: '`unknown`, `pending`, `passed`, `failed`, `drifted` or `blocked`.',
    }),
    blocking: t.exposeBoolean('blocking', {
      description: 'Whether something that is wanted of the domain does not work without it.',
    }),
    reasonCode: t.string({
      nullable: true,
      description: 'Why it does not hold, for programs.',
      resolve: (check) => check.reason_code ?? null,
    }),
    summary: t.exposeString('summary', { description: 'The same for people.' }),
    blockedBy: t.stringList({
      description: 'Checks that have to pass first.',
      resolve: (check) => check.blocked_by ?? [],
    }),
    checkedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was looked at.',
      resolve: ({ checked_at }) => (checked_at === undefined ? null : new Date(checked_at)),
    }),
  }),
});

const ReceiveTestRef = builder
  .objectRef<NonNullable<ProjectDomainShown['receive_test']>>('DomainReceiveTest')
  .implement({
    description: 'A mail that was sent to an address below a domain, to see whether it arrives.',
    fields: (t) => ({
      id: t.exposeString('id', { description: 'Native id, `rct_…`.' }),
      localPart: t.exposeString('local_part', { description: 'What stands before the `@`.' }),
      address: t.exposeString('address', { description: 'Where it was sent to.' }),
      targetManagedAddress: t.exposeString('target_managed_address', {
        description: 'The mailbox’s address on the platform’s mail domain: what other mail servers forward to.',
      }),
      token: t.exposeString('token', { description: 'What the mail says, after `svc-receive-test=`.' }),
      status: t.exposeString('status', { description: '`pending`, `passed`, `failed` or `stale`.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When it was sent.',
        resolve: ({ created_at }) => new Date(created_at),
      }),
      passedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it arrived.',
        resolve: ({ passed_at }) => (passed_at === null ? null : new Date(passed_at)),
      }),
    }),
  });

const ProjectDomainRef = builder.objectRef<ProjectDomain>('ProjectDomain').implement({
  description: 'A domain of one’s own that a project is served under, or is to be.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    domain: t.exposeString('name', { description: 'The domain, in Punycode.' }),
    status: t.expose('status', { type: DomainStatusEnum, description: 'How it stands.' }),
    desired: t.field({
      type: 'JSON',
      description: 'What is wanted of it.',
      resolve: (one) => domainToWire(one).desired,
    }),
    observed: t.field({
      type: 'JSON',
      description: 'What name servers said of it last.',
      resolve: (one) => domainToWire(one).observed,
    }),
    effective: t.field({
      type: 'JSON',
      description: 'What is in effect.',
      resolve: (one) => domainToWire(one).effective,
    }),
    authority: t.field({
      type: 'JSON',
      description: 'Who may set its records.',
      resolve: (one) => domainToWire(one).authority,
    }),
    dnsRecords: t.field({
      type: [DomainRecordRef],
      description: 'The records to set, with what was seen of them.',
      resolve: (one) => domainToWire(one).dns_records,
    }),
    checks: t.field({
      type: [DomainCheckRef],
      description: 'What has to hold.',
      resolve: (one) => domainToWire(one).checks,
    }),
    receiveTest: t.field({
      type: ReceiveTestRef,
      nullable: true,
      description: 'The latest test of an address.',
      resolve: (one) => domainToWire(one).receive_test ?? null,
    }),
    nextActions: t.field({
      type: 'JSON',
      description: 'What may be done next.',
      resolve: (one) => domainToWire(one).next_actions,
    }),
    provenance: t.field({
      type: 'JSON',
      description: 'Where each part is known from.',
      resolve: (one) => domainToWire(one).provenance,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was connected.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it changed last.' }),
  }),
});

builder.objectField(ProjectRef, 'domains', (t) =>
  t.field({
    type: [ProjectDomainRef],
    nullable: true,
    ...fieldOf(listDomains),
    resolve: ({ id }, _args, ctx) => run(listDomains, ctx, { project: id }),
  }),
);

readField('projectDomain', getDomain, { type: ProjectDomainRef });

changeField('ensureDomain', ensureDomain, {
  type: ProjectDomainRef,
  input: 'A domain to connect.',
  argument: 'The domain.',
  types: {
    desired: {
      name: 'DesiredDomainInput',
      description: 'What is wanted of a domain.',
      types: {
        authority: DomainAuthorityEnum,
        web: {
          name: 'DesiredDomainWebInput',
          description: 'What is served under a domain.',
          types: { role: DomainRoleEnum },
        },
        email: {
          name: 'DesiredDomainEmailInput',
          description: 'Mail below a domain.',
          types: {
            send: { name: 'DesiredDomainSendInput', description: 'Mail that goes out.' },
            receive: {
              name: 'DesiredDomainReceiveInput',
              description: 'Mail that comes in.',
              types: { strategy: ReceiveStrategyEnum },
            },
            mailbox_addresses: {
              name: 'DesiredDomainAddressesInput',
              description: 'Addresses of mailboxes below a domain.',
              types: {
                mode: AddressModeEnum,
                addresses: {
                  name: 'DesiredDomainAddressInput',
                  description: 'An address, and the mailbox that it is.',
                },
              },
            },
            activation: AddressActivationEnum,
          },
        },
      },
    },
  },
  result: ({ domain }) => domain,
});

const named = { type: ProjectDomainRef, argument: 'The domain.' };
changeField('checkDomain', checkDomain, { ...named, input: 'A domain to look at.' });
changeField('applyDomain', applyDomain, { ...named, input: 'A domain to do for what the gateway can.' });
changeField('repairDomain', repairDomain, { ...named, input: 'A domain to begin anew with.' });
changeField('testDomainReceive', testDomainReceive, { ...named, input: 'An address below a domain to test.' });
changeField('activateDomain', activateDomain, { ...named, input: 'A domain whose addresses are to take effect.' });

const DisconnectedDomainRef = builder.objectRef<{ readonly name: string }>('DisconnectedDomain').implement({
  description: 'A domain that a project was served under.',
  fields: (t) => ({
    domain: t.exposeString('name', { description: 'The domain, in Punycode.' }),
    status: t.string({ description: '`disconnected`.', resolve: () => 'disconnected' }),
  }),
});

changeField('disconnectDomain', disconnectDomain, {
  type: DisconnectedDomainRef,
  input: 'A domain to disconnect.',
  argument: 'The domain.',
});
