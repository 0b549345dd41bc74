import { z } from 'zod';
import type { Transfer } from '../projects/shared/transfer-summary.ts';
import type { HandedOver } from './hand-over.ts';

/** What is said of the repository: nobody knows where it is but its owner. */
export const repositoryNote =
  'The repository of its source stays with whoever has it: agree on it, and bind its workflows to the project anew.';

/** A project that somebody else has from now on, whichever way that came about. Contract 01, section 5.12. */
export const CompletedWire = z
  .object({
    status: z.literal('accepted'),
    transfer_id: z.uuid(),
    project_id: z.string(),
    from_organization_id: z.uuid(),
    to_organization_id: z.uuid(),
    to_org_id: z.uuid(),
    from_wallet: z.string().nullable(),
    to_wallet: z.string().nullable(),
    new_organization_id: z.uuid().nullable().describe('The organization, where it was made for this.'),
    created_new_org: z.boolean(),
    retained_collaborator_principal_id: z.string().nullable(),
    completed_at: z.iso.datetime(),
    anon_key: z.string().meta({ secret: true }).describe('The same as before: sites carry it inside.'),
    service_key: z.string().meta({ secret: true }).describe('Another one: that of the former owner is void.'),
    secrets_rotation_advised: z.boolean(),
    secret_names_inherited: z.array(z.string()),
    secrets_count_inherited: z.int(),
    github_repo_note: z.string(),
    ci_bindings_suspended: z.boolean(),
    ci_bindings_note: z.string().optional(),
  })
  .meta({ id: 'ProjectHandedOver' });

/** @param more what only some ways of completion have */
export const completedToWire = (
  transfer: Transfer,
  { project, keys, secretNames, bindingsEnded }: HandedOver,
  more: { readonly createdOrg?: boolean; readonly retained?: string | null } = {},
): z.output<typeof CompletedWire> => ({
  status: 'accepted',
  transfer_id: transfer.id,
  project_id: project.id,
  from_organization_id: transfer.orgId,
  to_organization_id: project.orgId,
  to_org_id: project.orgId,
  from_wallet: transfer.fromWallet,
  to_wallet: transfer.recipientKind === 'wallet' ? transfer.recipient : null,
  new_organization_id: more.createdOrg === true ? project.orgId : null,
  created_new_org: more.createdOrg === true,
  retained_collaborator_principal_id: more.retained ?? null,
  completed_at: transfer.endedAt!.toISOString(),
  anon_key: keys.anonKey,
  service_key: keys.serviceKey,
  secrets_rotation_advised: secretNames.length > 0,
  secret_names_inherited: [...secretNames],
  secrets_count_inherited: secretNames.length,
  github_repo_note: repositoryNote,
  ci_bindings_suspended: bindingsEnded,
  ...(bindingsEnded ? { ci_bindings_note: 'Workflows that deployed to it may no longer: bind them anew.' } : {}),
});
