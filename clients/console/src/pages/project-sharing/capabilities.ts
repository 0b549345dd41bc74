import type { Capability } from './sharing.graphql.ts';

/** What a capability allows, as a short name. */
export const capabilityNames: Readonly<Record<Capability, string>> = {
  READ: 'See the project',
  PROJECT_READ: 'See the project',
  DEPLOY: 'Deploy releases',
  FUNCTIONS_WRITE: 'Change functions',
  SECRETS_READ: 'See secrets',
  SECRETS_WRITE: 'Set and delete secrets',
  DOMAINS_WRITE: 'Change domains',
  MAILBOX_WRITE: 'Change mailboxes',
  PROJECT_WRITE: 'Change and deploy the project',
  PROJECT_ARCHIVES_EXPORT: 'Export archives',
};

/** What can be granted, in the order of a menu. `PROJECT_READ` is another spelling of `READ`. */
export const grantable: readonly Capability[] = [
  'READ',
  'PROJECT_WRITE',
  'DEPLOY',
  'FUNCTIONS_WRITE',
  'SECRETS_READ',
  'SECRETS_WRITE',
  'DOMAINS_WRITE',
  'MAILBOX_WRITE',
  'PROJECT_ARCHIVES_EXPORT',
];
