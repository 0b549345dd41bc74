import {
  Activity,
  AppWindow,
  Archive,
  ArrowRightLeft,
  Braces,
  Briefcase,
  Building2,
  ChartNoAxesColumn,
  CircleUser,
  Database,
  FolderOpen,
  Gauge,
  GitBranch,
  Globe,
  History,
  House,
  Inbox,
  KeyRound,
  KeySquare,
  type LucideIcon,
  Mails,
  Megaphone,
  MessageSquareQuote,
  MessagesSquare,
  Network,
  Package,
  PackageOpen,
  Rocket,
  ScanSearch,
  ScrollText,
  Settings,
  Share2,
  ShieldCheck,
  Signature,
  Siren,
  Sparkles,
  SquareFunction,
  SquareTerminal,
  Store,
  Table2,
  TriangleAlert,
  Users,
  UsersRound,
  Workflow,
} from 'lucide-react';
import { may, mayOn } from '../session/may.ts';
import type { PlaceOrganizationFragment, PlaceProjectFragment } from './frame.graphql.ts';

/** A page as the sidebar, the command palette and the shortcuts name it. */
export interface NavigationItem {
  readonly name: string;
  readonly to: string;
  readonly icon: LucideIcon;
  /** The key that follows G. */
  readonly key?: string;
  /** Also the current page while the address is below `to`. @default false */
  readonly holdsBelow?: boolean;
  /** Other words that find it in the command palette. */
  readonly words?: string;
}

export interface NavigationSection {
  readonly heading?: string;
  readonly items: readonly NavigationItem[];
}

/** Pages that belong to no organization. */
export const homeSection: NavigationSection = {
  items: [
    { name: 'Overview', to: '/', icon: House, key: 'o' },
    { name: 'Organizations', to: '/orgs', icon: Building2, words: 'teams' },
    { name: 'Apps', to: '/apps', icon: Store, holdsBelow: true, words: 'marketplace fork templates' },
    {
      name: 'Transfers',
      to: '/transfers',
      icon: ArrowRightLeft,
      holdsBelow: true,
      words: 'hand over offers accept claim move project',
    },
    { name: 'Your account', to: '/you', icon: CircleUser, words: 'sign-in approvals passkeys sessions profile' },
  ],
};

/** Pages for the operator of the gateway. All but the audits ask for the admin key. */
export const installationSection: NavigationSection = {
  heading: 'Installation',
  items: [
    { name: 'All organizations', to: '/installation', icon: Building2 },
    { name: 'Limits', to: '/installation/limits', icon: Gauge, words: 'tiers quotas' },
    { name: 'Incidents', to: '/installation/incidents', icon: Siren },
    { name: 'Nodes', to: '/installation/nodes', icon: Network, words: 'servers processes' },
    { name: 'Backups', to: '/installation/backups', icon: Archive, words: 'restore' },
    { name: 'Feedback', to: '/installation/feedback', icon: MessageSquareQuote, words: 'messages users' },
    { name: 'Outbox', to: '/installation/outbox', icon: Inbox, words: 'mail' },
    { name: 'Audits', to: '/audits', icon: ScanSearch, words: 'site' },
  ],
};

type Held = Pick<PlaceOrganizationFragment, 'orgId' | 'role'>;

/** Pages on which the members of an organization work together. */
export function coordinationSection({ orgId }: Held): NavigationSection {
  const base = `/orgs/${orgId}`;
  return {
    heading: 'Organization',
    items: [
      { name: 'Projects', to: base, icon: Database, key: 'p' },
      { name: 'Rooms', to: `${base}/rooms`, icon: MessagesSquare, key: 'm', holdsBelow: true, words: 'messages' },
      { name: 'Events', to: `${base}/events`, icon: Activity, key: 'v' },
      { name: 'Channels', to: `${base}/channels`, icon: Megaphone, holdsBelow: true, words: 'chat relay' },
      { name: 'Escalations', to: `${base}/escalations`, icon: Siren, key: 'x', holdsBelow: true, words: 'paging' },
    ],
  };
}

/** Tabs on which an organization is managed, those that the member may open. */
export function managementSection({ orgId, role }: Held): NavigationSection {
  const base = `/orgs/${orgId}`;
  const items: (NavigationItem | false)[] = [
    may(role, 'org:members:read') && { name: 'Members', to: `${base}?tab=members`, icon: UsersRound, words: 'invite' },
    may(role, 'org:billing:read') && {
      name: 'Usage and tier',
      to: `${base}?tab=usage`,
      icon: ChartNoAxesColumn,
      words: 'tier billing balance limits',
    },
    may(role, 'org:audit:read') && { name: 'Audit trail', to: `${base}?tab=audit`, icon: ScrollText },
    { name: 'Organization settings', to: `${base}?tab=settings`, icon: Settings },
  ];
  return { heading: 'Management', items: items.filter((item) => item !== false) };
}

/** Pages of a project that the member may open. */
export function projectSection(project: PlaceProjectFragment): NavigationSection {
  const { projectId, organization, defaultRoom } = project;
  const base = `/projects/${projectId}`;
  const readsSchema = mayOn(project, 'project:schema:read');
  const writesUsers = mayOn(project, 'project:users:write');
  const items: (NavigationItem | false)[] = [
    { name: 'Home', to: base, icon: House, key: 'h', words: 'connect keys' },
    readsSchema && { name: 'Tables', to: `${base}/tables`, icon: Table2, key: 't', words: 'rows data' },
    mayOn(project, 'project:sql') && { name: 'SQL', to: `${base}/sql`, icon: SquareTerminal, key: 's', words: 'query' },
    writesUsers && { name: 'Users', to: `${base}/users`, icon: Users, key: 'u', words: 'authentication sign-in' },
    readsSchema && {
      name: 'Access',
      to: `${base}/access`,
      icon: ShieldCheck,
      key: 'a',
      words: 'manifest policies row security expose',
    },
    readsSchema && { name: 'API', to: `${base}/api`, icon: Braces, key: 'i', words: 'REST GraphQL SDK curl' },
    mayOn(project, 'project:deploys:read') && {
      name: 'Deployments',
      to: `${base}/deploys`,
      icon: Rocket,
      key: 'd',
      holdsBelow: true,
      words: 'releases promote roll back',
    },
    mayOn(project, 'project:deploys:read') && {
      name: 'Site',
      to: `${base}/site`,
      icon: AppWindow,
      key: 'w',
      words: 'files paths subdomains preview diagnose hosting',
    },
    mayOn(project, 'project:functions:read') && {
      name: 'Functions',
      to: `${base}/functions`,
      icon: SquareFunction,
      key: 'j',
      holdsBelow: true,
      words: 'code runs schedules cron logs invoke',
    },
    mayOn(project, 'project:assets:read') && {
      name: 'Storage',
      to: `${base}/storage`,
      icon: FolderOpen,
      key: 'f',
      words: 'assets files uploads images folders',
    },
    mayOn(project, 'project:domains:read') && {
      name: 'Domains',
      to: `${base}/domains`,
      icon: Globe,
      key: 'n',
      holdsBelow: true,
      words: 'dns certificates hosts',
    },
    mayOn(project, 'project:snapshots:read') && {
      name: 'Snapshots',
      to: `${base}/snapshots`,
      icon: History,
      key: 'c',
      words: 'backups copies restore database',
    },
    mayOn(project, 'project:branches:read') && {
      name: 'Branches',
      to: `${base}/branches`,
      icon: GitBranch,
      key: 'q',
      words: 'copies previews try staging',
    },
    mayOn(project, 'project:archives:read') && {
      name: 'Archives',
      to: `${base}/archives`,
      icon: Package,
      words: 'export import move backup download carry',
    },
    mayOn(project, 'project:apps:read') && {
      name: 'Published versions',
      to: `${base}/versions`,
      icon: PackageOpen,
      words: 'apps marketplace publish fork template',
    },
    mayOn(project, 'project:delegates:read') && {
      name: 'CI',
      to: `${base}/ci`,
      icon: Workflow,
      key: 'y',
      words: 'github actions workflows bindings deploy',
    },
    mayOn(project, 'project:jobs:read') && {
      name: 'Jobs',
      to: `${base}/jobs`,
      icon: Briefcase,
      holdsBelow: true,
      words: 'background work import audit bulk artifacts',
    },
    mayOn(project, 'project:signers:read') && {
      name: 'Signers',
      to: `${base}/signers`,
      icon: Signature,
      key: 'z',
      words: 'contracts chain wallet base ethereum gas transactions',
    },
    mayOn(project, 'project:ai:read') && {
      name: 'AI',
      to: `${base}/ai`,
      icon: Sparkles,
      words: 'models translate moderate images words',
    },
    mayOn(project, 'project:mail:read') && {
      name: 'Mail',
      to: `${base}/mail`,
      icon: Mails,
      key: 'b',
      holdsBelow: true,
      words: 'email mailboxes inbox webhooks bounces',
    },
    mayOn(project, 'project:logs:read') && { name: 'Logs', to: `${base}/logs`, icon: ScrollText, key: 'l' },
    mayOn(project, 'project:secrets:read') && {
      name: 'Secrets',
      to: `${base}/secrets`,
      icon: KeyRound,
      key: 'k',
      words: 'environment variables keys tokens',
    },
    { name: 'Errors', to: `${base}/errors`, icon: TriangleAlert, key: 'e', holdsBelow: true },
    organization !== null && {
      name: 'Room',
      to: `/orgs/${organization.orgId}/rooms/${encodeURIComponent(defaultRoom.key)}`,
      icon: MessagesSquare,
      key: 'r',
      words: 'messages',
    },
    mayOn(project, 'project:credentials:read') && {
      name: 'Keys',
      to: `${base}/keys`,
      icon: KeySquare,
      words: 'credentials service anon rotate revoke',
    },
    mayOn(project, 'project:grants:read') && { name: 'Sharing', to: `${base}/sharing`, icon: Share2, words: 'grants' },
    mayOn(project, 'project:rename') && {
      name: 'Settings',
      to: `${base}/settings`,
      icon: Settings,
      words: 'delete rename',
    },
  ];
  return { heading: 'Project', items: items.filter((item) => item !== false) };
}
