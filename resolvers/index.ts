import type { ErrorCode, ErrorRow } from '../core/error-codes.ts';
import type { Action } from '../kernel/access/permissions.ts';
import { kernel } from '../kernel/kernel.ts';
import type { DeclaredEndpoint, Domain } from '../kernel/run/domain.ts';
import type { AnyOperation } from '../kernel/run/operation.ts';
import { accounts } from './accounts/domain.ts';
import { agents } from './agents/domain.ts';
import { aiDomain } from './ai/domain.ts';
import { apps } from './apps/domain.ts';
import { archivesDomain } from './archives/domain.ts';
import { assetsDomain } from './assets/domain.ts';
import { auth } from './auth/domain.ts';
import { billing } from './billing/domain.ts';
import { branches } from './branches/domain.ts';
import { channelRoutesDomain } from './channel-routes/domain.ts';
import { checkoutsDomain } from './checkouts/domain.ts';
import { ci } from './ci/domain.ts';
import { contacts } from './contacts/domain.ts';
import { content } from './content/domain.ts';
import { credentialsDomain } from './credentials/domain.ts';
import { deploys } from './deploys/domain.ts';
import { downloads } from './downloads/domain.ts';
import { errors } from './errors/domain.ts';
import { escalations } from './escalations/domain.ts';
import { events } from './events/domain.ts';
import { faucet } from './faucet/domain.ts';
import { feedback } from './feedback/domain.ts';
import { functionChanges } from './function-changes/domain.ts';
import { functions } from './functions/domain.ts';
import { grants } from './grants/domain.ts';
import { hosts } from './hosts/domain.ts';
import { identity } from './identity/domain.ts';
import { incidents } from './incidents/domain.ts';
import { inquiries } from './inquiries/domain.ts';
import { installation } from './installation/domain.ts';
import { invites } from './invites/domain.ts';
import { jobsDomain } from './jobs/domain.ts';
import { licences } from './licences/domain.ts';
import { lifecycle } from './lifecycle/domain.ts';
import { live } from './live/domain.ts';
import { mail } from './mail/domain.ts';
import { mailboxesDomain } from './mailboxes/domain.ts';
import { members } from './members/domain.ts';
import { notices } from './notices/domain.ts';
import { operator } from './operator/domain.ts';
import { operatorContact } from './operator-contact/domain.ts';
import { orgs } from './orgs/domain.ts';
import { payments } from './payments/domain.ts';
import { products } from './products/domain.ts';
import { projectData } from './project-data/domain.ts';
import { projects } from './projects/domain.ts';
import { rehearsals } from './rehearsals/domain.ts';
import { roomInvites } from './room-invites/domain.ts';
import { rooms } from './rooms/domain.ts';
import { savedQueriesDomain } from './saved-queries/domain.ts';
import { secrets } from './secrets/domain.ts';
import { sessions } from './sessions/domain.ts';
import { signersDomain } from './signers/domain.ts';
import { audits } from './site-audits/domain.ts';
import { snapshots } from './snapshots/domain.ts';
import { tiers } from './tiers/domain.ts';
import { traffic } from './traffic/domain.ts';
import { transfers } from './transfers/domain.ts';
import { vaults } from './vaults/domain.ts';
import { verifications } from './verifications/domain.ts';
import { vouchers } from './vouchers/domain.ts';

/** Every system of the platform, and the kernel's own jobs. All lists of what there is are made of these. */
export const domains: readonly Domain[] = [
  kernel,
  accounts,
  identity,
  orgs,
  grants,
  credentialsDomain,
  members,
  invites,
  vaults,
  projects,
  projectData,
  savedQueriesDomain,
  content,
  assetsDomain,
  secrets,
  deploys,
  functions,
  functionChanges,
  snapshots,
  branches,
  rehearsals,
  apps,
  archivesDomain,
  feedback,
  ci,
  signersDomain,
  jobsDomain,
  aiDomain,
  hosts,
  traffic,
  transfers,
  live,
  rooms,
  roomInvites,
  errors,
  events,
  incidents,
  mail,
  mailboxesDomain,
  tiers,
  vouchers,
  faucet,
  lifecycle,
  billing,
  channelRoutesDomain,
  checkoutsDomain,
  auth,
  sessions,
  escalations,
  contacts,
  operatorContact,
  notices,
  operator,
  payments,
  audits,
  verifications,
  inquiries,
  products,
  licences,
  downloads,
  agents,
  installation,
];

/** Everything that is declared to be called, by whom it is for. */
export const registry = {
  /** For whoever has a credential, on every surface. */
  clients: domains.flatMap(({ operations = [] }): readonly AnyOperation[] => operations),
  /**
   * For people: by it their credentials come to be, are proven anew and end. Each is run as an operation, and has neither
   * a field nor a tool: a person's browser takes part, and the answer is for one client alone.
   */
  people: domains.flatMap(({ signInFlows = [] }): readonly AnyOperation[] => signInFlows),
  /** For the users of a project, by its key. */
  projectUsers: domains.flatMap(({ endpoints = [] }): readonly DeclaredEndpoint[] => endpoints),
};

/** What walks over all operations (parity, workers, generated pages) starts here. */
export const { clients: operations, people: signInFlows } = registry;

/** The whole matrix of roles and actions. Contract 01, section 1.12. */
export const permissions: Readonly<Record<string, Action>> = Object.assign({}, ...domains.map((one) => one.actions));

/** Every error code. What prints or describes all of them starts here. */
export const errorRows: Readonly<Record<ErrorCode, ErrorRow>> = Object.assign({}, ...domains.map((one) => one.errors));
