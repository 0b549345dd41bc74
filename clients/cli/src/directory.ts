import type { Group } from './command.ts';

/** A first word after `svc`, listed without loading its commands. */
export interface GroupEntry {
  readonly name: string;
  /** A sentence without its full stop, for the root help page. */
  readonly summary: string;
  readonly section: string;
  readonly load: () => Promise<{ readonly group: Group }>;
}

const start = 'Start';
const together = 'Work together';
const data = 'Projects';
const people = 'Organizations and money';
const rest = 'The gateway';

/** All first words. Only the called group is loaded, so the others add nothing to the start-up time. */
export const directory: readonly GroupEntry[] = [
  {
    section: start,
    name: 'init',
    summary: 'Make a wallet, or the files of an application',
    load: () => import('./groups/init.ts'),
  },
  {
    section: start,
    name: 'status',
    summary: 'Wallet, tier, projects and where they are',
    load: () => import('./groups/status.ts'),
  },
  {
    section: start,
    name: 'whoami',
    summary: 'Who the gateway takes you for',
    load: () => import('./groups/whoami.ts'),
  },
  {
    section: start,
    name: 'doctor',
    summary: 'Check files, wallet, gateway and tier',
    load: () => import('./groups/doctor.ts'),
  },
  { section: start, name: 'dev', summary: 'Start a gateway on this machine', load: () => import('./groups/dev.ts') },
  {
    section: start,
    name: 'backup',
    summary: 'Back up a whole installation',
    load: () => import('./groups/backup.ts'),
  },
  {
    section: start,
    name: 'restore',
    summary: 'Restore a whole installation',
    load: () => import('./groups/restore.ts'),
  },
  {
    section: start,
    name: 'wallets',
    summary: 'Named wallets on this machine',
    load: () => import('./groups/wallets.ts'),
  },
  { section: start, name: 'allowance', summary: 'The wallet in use', load: () => import('./groups/allowance.ts') },
  {
    section: start,
    name: 'credentials',
    summary: 'Keys of projects: further ones, and those kept on this machine',
    load: () => import('./groups/credentials.ts'),
  },
  {
    section: start,
    name: 'mcp',
    summary: 'Give a model the gateway’s tools',
    load: () => import('./groups/mcp.ts'),
  },
  {
    section: rest,
    name: 'feedback',
    summary: 'Say something to whoever runs the platform',
    load: () => import('./groups/feedback.ts'),
  },
  {
    section: start,
    name: 'completion',
    summary: 'Completion for bash, zsh and fish',
    load: () => import('./groups/completion.ts'),
  },

  {
    section: people,
    name: 'org',
    summary: 'Organizations, their members, invitations and names',
    load: () => import('./groups/org.ts'),
  },
  {
    section: people,
    name: 'grants',
    summary: 'Capabilities of wallets on a project',
    load: () => import('./groups/grants.ts'),
  },
  {
    section: people,
    name: 'delegates',
    summary: 'Tokens that narrow a grant',
    load: () => import('./groups/delegates.ts'),
  },
  {
    section: people,
    name: 'tier',
    summary: 'What an organization’s tier costs and allows',
    load: () => import('./groups/tier.ts'),
  },
  {
    section: people,
    name: 'billing',
    summary: 'Prepaid balance and its history',
    load: () => import('./groups/billing.ts'),
  },
  {
    section: people,
    name: 'operator',
    summary: 'Sign in as a person, by a browser',
    load: () => import('./groups/operator.ts'),
  },
  {
    section: people,
    name: 'agent',
    summary: 'Whom notices about your organizations go to',
    load: () => import('./groups/agent.ts'),
  },
  {
    section: people,
    name: 'redeem',
    summary: 'Redeem a voucher',
    load: () => import('./groups/redeem.ts'),
  },
  {
    section: people,
    name: 'vouchers',
    summary: 'Codes that are worth promotional credit',
    load: () => import('./groups/vouchers.ts'),
  },
  { section: people, name: 'pay', summary: 'Buy what a URL sells by x402', load: () => import('./groups/pay.ts') },

  {
    section: data,
    name: 'projects',
    summary: 'Projects: databases, SQL, rows, manifests, keys',
    load: () => import('./groups/projects.ts'),
  },
  {
    section: data,
    name: 'up',
    summary: 'An application from its svc.json',
    load: () => import('./groups/up.ts'),
  },
  {
    section: data,
    name: 'deploy',
    summary: 'Releases: what a project serves, forth and back',
    load: () => import('./groups/deploy.ts'),
  },
  {
    section: data,
    name: 'apply',
    summary: 'The same as deploy apply',
    load: () => import('./groups/apply.ts'),
  },
  {
    section: data,
    name: 'functions',
    summary: 'Functions of a project, and what they print',
    load: () => import('./groups/functions.ts'),
  },
  {
    section: data,
    name: 'jobs',
    summary: 'Work in the background: its logs, what it makes, what it costs',
    load: () => import('./groups/jobs.ts'),
  },
  {
    section: data,
    name: 'sites',
    summary: 'A folder as the site of a project',
    load: () => import('./groups/sites.ts'),
  },
  {
    section: data,
    name: 'assets',
    summary: 'Files of a project, each under a key',
    load: () => import('./groups/assets.ts'),
  },
  { section: data, name: 'cdn', summary: 'Whether an asset is served as it is', load: () => import('./groups/cdn.ts') },
  {
    section: data,
    name: 'secrets',
    summary: 'What a project keeps from everybody’s eyes',
    load: () => import('./groups/secrets.ts'),
  },
  {
    section: data,
    name: 'apps',
    summary: 'Publish a project for others, and fork theirs',
    load: () => import('./groups/apps.ts'),
  },
  {
    section: data,
    name: 'transfer',
    summary: 'Hand a project to somebody else',
    load: () => import('./groups/transfer.ts'),
  },
  {
    section: data,
    name: 'contracts',
    summary: 'Accounts on Base that a project signs with',
    load: () => import('./groups/contracts.ts'),
  },
  {
    section: data,
    name: 'ai',
    summary: 'Texts that a model translates and moderates',
    load: () => import('./groups/ai.ts'),
  },
  {
    section: data,
    name: 'image',
    summary: 'Images that a model makes',
    load: () => import('./groups/image.ts'),
  },
  {
    section: data,
    name: 'snapshots',
    summary: 'Copies of a project’s database, and the way back to one',
    load: () => import('./groups/snapshots.ts'),
  },
  {
    section: data,
    name: 'branches',
    summary: 'Projects made from another one for a while',
    load: () => import('./groups/branches.ts'),
  },
  {
    section: data,
    name: 'cloud',
    summary: 'Archives of a project, to be carried to another gateway',
    load: () => import('./groups/cloud.ts'),
  },
  {
    section: data,
    name: 'archives',
    summary: 'What an archive holds, and whether it is whole',
    load: () => import('./groups/archives.ts'),
  },
  {
    section: data,
    name: 'core',
    summary: 'A new project of an archive',
    load: () => import('./groups/core.ts'),
  },
  {
    section: data,
    name: 'ci',
    summary: 'Workflows of CI that may deploy',
    load: () => import('./groups/ci.ts'),
  },
  {
    section: data,
    name: 'email',
    summary: 'Mailboxes of a project',
    load: () => import('./groups/email.ts'),
  },
  {
    section: data,
    name: 'subdomains',
    summary: 'Names below the platform’s domain',
    load: () => import('./groups/subdomains.ts'),
  },
  {
    section: data,
    name: 'domains',
    summary: 'Domains of your own',
    load: () => import('./groups/domains.ts'),
  },
  {
    section: data,
    name: 'cache',
    summary: 'Rendered pages that are kept',
    load: () => import('./groups/cache.ts'),
  },
  {
    section: data,
    name: 'queries',
    summary: 'SQL that a project keeps for its developers',
    load: () => import('./groups/queries.ts'),
  },
  {
    section: data,
    name: 'auth',
    summary: 'Users of a project and how they sign in',
    load: () => import('./groups/auth.ts'),
  },
  {
    section: data,
    name: 'live',
    summary: 'Follow what changes in live tables',
    load: () => import('./groups/live.ts'),
  },
  {
    section: data,
    name: 'errors',
    summary: 'Grouped failures, and the verdict on a release',
    load: () => import('./groups/errors.ts'),
  },
  { section: data, name: 'logs', summary: 'What is known of one request', load: () => import('./groups/logs.ts') },

  {
    section: together,
    name: 'events',
    summary: 'What happened in a project or an organization',
    load: () => import('./groups/events.ts'),
  },
  {
    section: together,
    name: 'rooms',
    summary: 'Join a room, look around, invite, leave',
    load: () => import('./groups/rooms.ts'),
  },
  {
    section: together,
    name: 'messages',
    summary: 'Send, read, wait for and acknowledge messages',
    load: () => import('./groups/messages.ts'),
  },
  {
    section: together,
    name: 'claims',
    summary: 'Say what you are working on',
    load: () => import('./groups/claims.ts'),
  },
  {
    section: together,
    name: 'escalations',
    summary: 'Page the humans of an organization',
    load: () => import('./groups/escalations.ts'),
  },
  {
    section: together,
    name: 'contacts',
    summary: 'Who is paged, and in which order',
    load: () => import('./groups/contacts.ts'),
  },
  {
    section: together,
    name: 'deliveries',
    summary: 'What you were told, and how that went',
    load: () => import('./groups/deliveries.ts'),
  },
  {
    section: together,
    name: 'subscriptions',
    summary: 'Which events are told in your chats',
    load: () => import('./groups/subscriptions.ts'),
  },
  {
    section: together,
    name: 'channel-route',
    summary: 'Channels of chat communities that events are told in',
    load: () => import('./groups/channel-route.ts'),
  },
  {
    section: together,
    name: 'channel-community',
    summary: 'Chat communities that an organization has installed',
    load: () => import('./groups/channel-community.ts'),
  },
  {
    section: together,
    name: 'webhook-secret',
    summary: 'What notices to your webhook are signed with',
    load: () => import('./groups/webhook-secret.ts'),
  },

  {
    section: rest,
    name: 'audit',
    summary: 'How well a site can be read by AI',
    load: () => import('./groups/audit.ts'),
  },
  { section: rest, name: 'service', summary: 'Whether the gateway is well', load: () => import('./groups/service.ts') },
  { section: rest, name: 'admin', summary: 'What its platform admin does', load: () => import('./groups/admin.ts') },
];
