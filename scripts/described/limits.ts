import type { Kind } from './shown.ts';

/** Figures that the description gives, in its words. */
export const limits: Kind = {
  title: 'Limits and figures',
  about: 'Figures that the description gives, in its words.',
  shown: [
    {
      test: 'test/auth/sessions.test.ts',
      says: 'a session ends 30 days after its last refresh, and 90 days after its sign-in however it is refreshed',
      names: ['access token 1 hour', 'refresh token 30 days, one-time'],
    },
    {
      test: 'test/auth/mail.test.ts',
      says: 'link and code are good for 15 minutes, and a code only for its own challenge',
      names: ['email credential 15 minutes'],
    },
    {
      test: 'test/sessions/device-flow.test.ts',
      says: 'an operator session is refreshed until twelve hours after its sign-in, and revoked for good',
      names: ['operator session 30 minutes, 12 hours absolute'],
    },
    {
      test: 'test/live/connection-limits.full.test.ts',
      says: 'a project of a %s organization has %i live connections and no more',
      names: ['live connections 200, prototype 50'],
    },
    {
      test: 'test/live/stream-times.test.ts',
      says: 'a stream that has lived its time says where to resume, and ends',
      names: ['live stream 300 s'],
    },
    {
      test: 'test/live/surfaces.test.ts',
      says: 'a held read waits until there is a hint, however long its wait',
      names: ['held read 1 to 25 s'],
    },
    {
      test: 'test/events/retention.test.ts',
      says: 'what is past its time goes a month at a time, and security, recovery and billing stay a year',
      names: ['events 90 days, 365 for security, recovery, billing'],
    },
    {
      test: 'test/events/read.test.ts',
      says: 'a limit above 200 is clamped',
      names: ['page size default 50, max 200'],
    },
    { test: 'test/rooms/send.test.ts', says: '%s is refused by name and nothing is stored', names: ['message 32 KiB'] },
    {
      test: 'test/rooms/wait.test.ts',
      says: 'a wait beyond 25 seconds is taken for 25',
      names: ['messages wait held by the gateway for 25 s at most, by svc up to 600 s'],
    },
    {
      test: 'test/claims/create.test.ts',
      says: 'a claim of %i seconds runs out after as many',
      names: ['claim ttl default 3600 s, max 86400 s'],
    },
    {
      test: 'test/claims/create.test.ts',
      says: 'a presence holds 32 claims at a time, exactly, however many are asked for at once',
      names: ['32 active claims per presence'],
    },
    {
      test: 'test/rooms/liveness.test.ts',
      says: 'the last moment of an hour counts, and the first after it does not',
      names: ['presence 1 hour of silence'],
    },
    {
      test: 'test/rooms/message-quota.full.test.ts',
      says: 'a tier sends so many messages a day',
      names: ['room sends 1,000, 10,000, 100,000 a day'],
    },
    {
      test: 'test/escalations/raise.test.ts',
      says: '%s is refused, and nothing is kept',
      names: ['escalation reason 4 KiB'],
    },
    {
      test: 'test/escalations/raise.test.ts',
      says: 'of twenty that one principal raises at once five are taken, wherever they are, and replays cost nothing',
      names: ['5 pages a day per agent'],
    },
    {
      test: 'test/identity/display-name.test.ts',
      says: 'a principal names itself, and is answered who it is now',
      names: ['principal display name 1 to 64 characters'],
    },
    {
      test: 'test/orgs/slug.test.ts',
      says: 'a slug has one to 39 characters, digits alone among them',
      names: ['organization slug 39 characters'],
    },
    {
      test: 'test/orgs/slug.test.ts',
      says: 'a slug that is in use is taken; one that was given up names its holder’s new one for ninety days',
      names: ['slug cooldown 90 days'],
    },
    { test: 'test/projects/rename.test.ts', says: '64 characters', names: ['repo name 63 characters'] },
    {
      test: 'test/tiers/set-tier.test.ts',
      says: 'a lapsed paid organization cannot turn free when one of its owners has as many as it may',
      names: ['free organizations per owner'],
    },
    {
      test: 'test/tiers/status.test.ts',
      says: 'a wallet sees its tier, its lease and what its projects use together',
      names: ['limits pooled over the projects of an organization'],
    },
    {
      test: 'test/functions/schedules.test.ts',
      says: 'what a tier does not allow is refused at the plan, over all projects of the organization',
      names: ['scheduled triggers 1 per 15 min, 3 per 5 min, 10 per 1 min'],
    },
    {
      test: 'test/mailboxes/sending.full.test.ts',
      says: 'the tier limits the mails of a day over all mailboxes, exactly under 50 senders at once',
      names: ['emails per day 10, 50, 500'],
    },
    {
      test: 'test/mailboxes/sending.full.test.ts',
      says: 'the tier limits whom an organization writes to, and nothing is counted of what is refused',
      names: ['unique recipients 25, 200, 1000'],
    },
    {
      test: 'test/mailboxes/mailboxes.test.ts',
      says: 'a project has five mailboxes at most, also of callers who race; a deleted one does not count',
      names: ['5 mailboxes per project'],
    },
    {
      test: 'test/mailboxes/sending.full.test.ts',
      says: 'files arrive as they were given, under a name that is no path, and are kept no longer than it takes',
      names: ['5 attachments, 7 MB'],
    },
    { test: 'test/engines/release/read-spec.test.ts', says: '31 dependencies', names: ['30 function deps'] },
    { test: 'test/engines/release/read-spec.test.ts', says: '51 locales', names: ['50 locales'] },
    {
      test: 'test/functions/reads.full.test.ts',
      says: 'nobody reads functions of another project, and bad input is named',
      names: ['function log tail 1000'],
    },
    {
      test: 'test/assets/assets.test.ts',
      says: 'a private asset is served to nobody but by a signature, which holds for its key and its time alone',
      names: ['signed URL 604800 s'],
    },
    {
      test: 'test/assets/assets.test.ts',
      says: 'a list goes on where it ended, in each order and both ways, by prefix and by filter',
      names: ['assets list 1000'],
    },
    {
      test: 'test/mcp/deploy.test.ts',
      says: 'takes as much content as one call may bring',
      names: ['inline content 1 MB'],
    },
    {
      test: 'test/content/upload.test.ts',
      says: 'a large object is sent in parts, in any order and again, and is whole in the end',
      names: ['assets up to 5 TiB in parts'],
    },
    {
      test: 'test/signers/calls.test.ts',
      says: 'a contract is made at the address that is told at once',
      names: ['contract bytecode 128 KB'],
    },
    {
      test: 'test/tiers/tiers.test.ts',
      says: 'anybody reads what the tiers cost and allow',
      names: ['hobby 5 USD, team 20 USD, prototype free'],
    },
    {
      test: 'test/checkouts/products.test.ts',
      says: 'a pack of mail credits is added, and taken back in part with its money',
      names: ['email pack 5 USD for 10,000 emails'],
    },
    {
      test: 'test/checkouts/lightning.test.ts',
      says: '%s sats are out of bounds',
      names: ['lightning 100 to 1,000,000 sats'],
    },
    {
      test: 'test/checkouts/lightning.test.ts',
      says: 'a payment within an hour after the end is credited as late, and none after that',
      names: ['lightning credited an hour after its end'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'rent is taken once a day, missed days with it, promotional credit first',
      names: ['signer 0.04 USD a day'],
    },
    {
      test: 'test/signers/calls.test.ts',
      says: 'a call is signed, sent, paid for once and confirmed by its receipt',
      names: ['signer 0.000005 USD a call'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a signer takes a balance of 30 days of rent, which promotional credit is no part of',
      names: ['signer creation 1.20 USD'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a signer that holds something is not deleted; one that does not loses its key after seven days',
      names: ['signer deletion 7 days'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'after 90 days of suspension a signer is drained to its recovery address, and deleted',
      names: ['signer drain at day 90'],
    },
    {
      test: 'test/channel-routes/channel-routes.test.ts',
      says: 'length: 51',
      names: ['channel route 1 to 50 projects'],
    },
    {
      test: 'test/channel-routes/deliveries.test.ts',
      says: 'a message is given up two days after it was queued, however often it was tried',
      names: ['channel route retries 8 attempts, 48 h'],
    },
    {
      test: 'test/jobs/jobs.test.ts',
      says: 'a job ends when its cap is used up: the cap is charged, and the platform bears the rest',
      names: ['job max_cost_usd_micros'],
    },
    {
      test: 'test/jobs/refusals.test.ts',
      says: 'a key is needed, of at most 256 characters',
      names: ['job key 256 characters'],
    },
    {
      test: 'test/jobs/refusals.test.ts',
      says: 'the callback %s is refused',
      names: ['job callback 2,048 characters'],
    },
    {
      test: 'test/ai/translate.test.ts',
      says: 'characters are counted, not their halves',
      names: ['text 10,000 characters, context 200'],
    },
    {
      test: 'test/cli/payments.full.test.ts',
      says: 'above the cap nothing is paid, nor for an address that was not asked for',
      names: ['pay_url default cap 0.10 USD'],
    },
    { test: 'test/functions/calls.test.ts', says: 'ROUTED_RESPONSE_TOO_LARGE', names: ['route response 6 MiB'] },
    {
      test: 'test/notices/notices.test.ts',
      says: 'a webhook and its secret are changed by an operator with a passkey alone',
      names: ['webhook secret valid 24 hours after rotation'],
    },
    {
      test: 'test/engines/release/read-spec.test.ts',
      says: 'require_role: { ...gate, cache_ttl: 601 }',
      names: ['role cache_ttl 0 to 600 s'],
    },
    {
      test: 'test/payments/buy-audit.test.ts',
      says: 'whoever brings no payment is told the price in both versions, whatever the request holds',
      names: ['audit 0.01 USD'],
    },
    { test: 'test/products/buy.test.ts', says: 'the graph sells the same', names: ['pro 1.00 USD, buyout 950.00 USD'] },
    {
      test: 'test/verifications/networks.test.ts',
      says: 'a transaction is looked for on base unless another network is named',
      names: ['plan_price 3, 29, 950 USD'],
    },
  ],
  left: [],
};
