import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/credentials.ts';

const takes = [take('project')];
const id = 'pcr_01jz3m8q7vhd9w2k5t6xb4yc0f';
const once = 'The key is printed this once, and kept nowhere: put it where it is used.';

/** Credentials of a project on the gateway, beside its two own keys. */
export const projectCredentials = [
  operationCommand('credentials issue', rows['credentials.issue'], {
    takes,
    flags: { expires_at: 'expires' },
    about: [once],
    examples: [
      ['A key for a server', 'credentials issue --kind service --name worker'],
      ['A key that ends', 'credentials issue --kind anon --name preview --expires 2027-01-01T00:00:00Z'],
    ],
  }),
  operationCommand('credentials list', rows['credentials.list'], {
    takes,
    examples: [
      ['Those that are not revoked', 'credentials list'],
      ['And those that are', 'credentials list --include-revoked'],
    ],
  }),
  operationCommand('credentials status', rows['credentials.status'], {
    takes,
    examples: [['Of the project in use', 'credentials status']],
  }),
  operationCommand('credentials rotate', rows['credentials.rotate'], {
    takes: [...takes, take('credential', { name: 'credential_id' })],
    flags: { expires_at: 'expires' },
    about: ['The old key ends at once.', once],
    examples: [['A new key in its place', `credentials rotate ${id}`]],
  }),
  operationCommand('credentials revoke', rows['credentials.revoke'], {
    takes: [...takes, take('credential', { name: 'credential_id' })],
    examples: [['End it', `credentials revoke ${id} --reason "left a laptop on a train"`]],
  }),
  operationCommand('credentials token', rows['credentials.token'], {
    takes,
    about: [once],
    examples: [['A service key for ten minutes', 'credentials token --expires-in 600']],
  }),
];
