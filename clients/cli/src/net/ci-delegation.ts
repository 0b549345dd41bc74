import { signCiDelegation } from '../../../sdk/src/ci-delegation.ts';
import type { Call } from '../command.ts';
import { badUsage } from '../failure.ts';
import { activeWallet } from '../files/wallets.ts';
import { requireProject } from '../resolve.ts';
import { apiBase } from './api-base.ts';
import { signText } from './signing.ts';

/** What the wallet of this machine signs for `svc ci link github`: the inputs of the binding. @throws BAD_USAGE, NO_WALLET */
export async function linkDelegation({ cli, positionals, flags }: Call) {
  const subject = flags.text('subject');
  if (subject === undefined) throw badUsage('--subject is missing.', { field: 'subject_match' });
  const project = await requireProject(cli, { argument: positionals.project_id, '--project': flags.text('project') });
  const { address, privateKey } = await activeWallet(cli);
  const { url } = await apiBase(cli);
  const expires = flags.text('expires');
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    throw badUsage('--expires must be a moment such as 2027-01-01T00:00:00Z.', { field: 'expires_at' });
  const signer = { address, signMessage: async (text: string) => signText(privateKey, text) };
  return {
    ...(await signCiDelegation(signer, url, {
      project,
      subjectMatch: subject,
      allowedEvents: flags.list('event'),
      routeScopes: flags.list('route'),
      githubRepositoryId: flags.text('repository-id'),
      expiresAt: expires,
      issuer: flags.text('issuer'),
      audience: flags.text('audience'),
    })),
  };
}
