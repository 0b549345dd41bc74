/** All roles of members, most authority first. */
export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
/** Everything that a grant can give. */
export const capabilities = [
  'read',
  'project.read',
  'deploy',
  'functions:write',
  'secrets:read',
  'secrets:write',
  'domains:write',
  'mailbox:write',
  'project:write',
  'project:archives:export',
] as const;

interface Expected {
  /** Roles that suffice. */
  readonly roles: string;
  /** Capabilities of a grant that suffice, and of a delegate. */
  readonly grants: string;
  readonly delegates: string;
  readonly serviceKey: boolean;
  readonly admin: boolean;
  /** Whether the anon key suffices, and so everybody may. */
  readonly anonKey: boolean;
}

const everyRole = roles.join(' ');
const everyCapability = capabilities.join(' ');
const reading = 'read project.read project:write';
const deploying = 'deploy project:write';
const writing = { grants: 'project:write', delegates: 'project:write' };
const paying = 'owner admin developer billing';

const cell = (roles: string, more: Partial<Expected> = {}): Expected => ({
  roles,
  grants: '',
  delegates: '',
  serviceKey: false,
  admin: false,
  anonKey: false,
  ...more,
});

/** Contract 01, section 1.12, and contract 02, section 2.0, written out. */
export const expected: Readonly<Record<string, Expected>> = {
  'org:read': cell(everyRole, { admin: true }),
  'org:rename': cell('owner'),
  'org:payout:read': cell(paying),
  'org:payout:write': cell('owner'),
  'org:audit:read': cell('owner admin'),
  'org:slug:claim': cell('owner'),
  'org:tier:set': cell(paying),
  'org:voucher:redeem': cell(paying),
  'org:billing:read': cell(paying, { admin: true }),
  'org:checkout:create': cell(paying, { admin: true }),
  'org:topup': cell(everyRole, { delegates: everyCapability, admin: true }),
  'org:auto_recharge:write': cell(paying, { admin: true }),
  'org:members:read': cell(everyRole, { admin: true }),
  'org:members:write': cell('owner'),
  'org:invites:read': cell(everyRole, { admin: true }),
  'org:invites:write': cell('owner'),
  'project:grants:read': cell('owner'),
  'project:grants:write': cell('owner'),
  'project:delegates:read': cell('owner'),
  'project:delegates:write': cell('owner'),
  'project:credentials:read': cell('owner'),
  'project:credentials:write': cell('owner'),
  'project:credentials:status': cell('owner admin', writing),
  'project:list': cell(everyRole, { delegates: reading }),
  'project:create': cell('owner admin developer'),
  'project:read': cell(everyRole, { grants: reading, delegates: reading, serviceKey: true, admin: true }),
  'project:keys:read': cell('owner'),
  'project:rename': cell('owner admin', { grants: 'project:write', delegates: 'project:write' }),
  'project:delete': cell('owner', { serviceKey: true }),
  'project:users:write': cell('owner admin developer', { serviceKey: true }),
  'project:sql': cell('owner admin developer', { ...writing, serviceKey: true, admin: true }),
  'project:queries:read': cell('owner admin developer', { ...writing, serviceKey: true, admin: true }),
  'project:queries:write': cell('owner admin developer', { ...writing, serviceKey: true }),
  'project:schema:read': cell('owner admin developer', { ...writing, serviceKey: true, admin: true }),
  'project:logs:read': cell('owner admin developer', { ...writing, serviceKey: true, admin: true }),
  'project:expose:read': cell('owner admin developer', { ...writing, serviceKey: true, admin: true }),
  'project:expose:write': cell('owner admin developer', { ...writing, serviceKey: true }),
  'project:errors:write': cell('owner admin developer', { ...writing, serviceKey: true }),
  'project:content:write': cell('owner admin developer', {
    grants: deploying,
    delegates: deploying,
    serviceKey: true,
    anonKey: true,
  }),
  'project:functions:read': cell(everyRole, {
    grants: `${reading} deploy`,
    delegates: `${reading} deploy`,
    serviceKey: true,
  }),
  'project:functions:run': cell('owner admin developer', {
    grants: 'functions:write project:write',
    delegates: 'functions:write project:write',
    serviceKey: true,
  }),
  'project:functions:write': cell('owner admin developer', {
    grants: 'deploy functions:write project:write',
    delegates: 'deploy functions:write project:write',
    serviceKey: true,
  }),
  'project:functions:rebuild': cell('owner admin developer', {
    grants: 'deploy functions:write project:write',
    delegates: 'deploy functions:write project:write',
  }),
  'project:snapshots:read': cell(everyRole, {
    grants: `${reading} project:write`,
    delegates: `${reading} project:write`,
  }),
  'project:snapshots:manage': cell('owner admin developer', writing),
  'project:branches:read': cell(everyRole, {
    grants: `${reading} project:write`,
    delegates: `${reading} project:write`,
  }),
  'project:transfer': cell('owner'),
  'org:archives:import': cell('owner admin developer'),
  'project:branches:manage': cell('owner admin developer', writing),
  'project:archives:read': cell(everyRole, {
    grants: `${reading} project:write`,
    delegates: `${reading} project:write`,
  }),
  'project:archives:export': cell('owner admin developer', writing),
  'project:apps:read': cell(everyRole, {
    grants: `${reading} deploy project:write`,
    delegates: `${reading} deploy project:write`,
    serviceKey: true,
  }),
  'project:apps:write': cell('owner admin developer', { ...writing, serviceKey: true }),
  'channel:routes:read': cell(everyRole),
  'channel:routes:write': cell('owner'),
  'project:signers:read': cell(everyRole, { grants: reading, delegates: reading, serviceKey: true }),
  'project:jobs:read': cell(everyRole, { grants: reading, delegates: reading, serviceKey: true }),
  'project:jobs:write': cell('owner admin developer', { ...writing, serviceKey: true }),
  'project:signers:write': cell('owner admin developer', { ...writing, serviceKey: true }),
  'project:ai:read': cell(everyRole, {
    grants: `${reading} project:write`,
    delegates: `${reading} project:write`,
    serviceKey: true,
  }),
  'project:ai:use': cell('owner admin developer', { ...writing, serviceKey: true }),
  'project:secrets:read': cell('owner admin developer', {
    grants: 'secrets:read secrets:write',
    delegates: 'secrets:read secrets:write',
    serviceKey: true,
  }),
  'project:secrets:write': cell('owner admin developer', {
    grants: 'secrets:write',
    delegates: 'secrets:write',
    serviceKey: true,
  }),
  'project:assets:read': cell('owner admin developer', { grants: deploying, delegates: deploying, serviceKey: true }),
  'project:assets:write': cell('owner admin developer', { grants: deploying, delegates: deploying, serviceKey: true }),
  'project:mail:read': cell('owner admin developer', {
    grants: 'mailbox:write',
    delegates: 'mailbox:write',
    serviceKey: true,
  }),
  'project:mail:write': cell('owner admin developer', {
    grants: 'mailbox:write',
    delegates: 'mailbox:write',
    serviceKey: true,
  }),
  'project:deploys:read': cell(everyRole, {
    grants: `${reading} deploy`,
    delegates: `${reading} deploy`,
    serviceKey: true,
    anonKey: true,
  }),
  'project:deploys:write': cell('owner admin developer', { grants: deploying, delegates: deploying }),
  'project:domains:read': cell(everyRole, {
    grants: 'read project.read domains:write',
    delegates: 'read project.read domains:write',
    serviceKey: true,
  }),
  'project:domains:write': cell('owner admin developer', {
    grants: 'domains:write',
    delegates: 'domains:write',
    serviceKey: true,
  }),
  'event:emit': cell('', { serviceKey: true }),
  'room:list': cell(everyRole, { delegates: everyCapability, serviceKey: true }),
  'room:read': cell(everyRole, { grants: everyCapability, delegates: everyCapability, serviceKey: true }),
  'room:write': cell(everyRole, { grants: everyCapability, delegates: everyCapability }),
  'room:archive': cell('owner admin developer'),
  'room:invite': cell('owner admin developer'),
  'escalation:raise': cell(everyRole, { grants: everyCapability, delegates: everyCapability }),
  'escalation:read': cell(everyRole, { grants: everyCapability, delegates: everyCapability }),
  'escalation:answer': cell(everyRole),
  'escalation:contacts:read': cell(everyRole),
  'escalation:contacts:write': cell('owner'),
};
