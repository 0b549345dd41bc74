import type { Kind } from './shown.ts';

/** Each object with its states, and what moves it from one to the next. */
export const states: Kind = {
  title: 'States and moves',
  about: 'Each object with its states, and what moves it from one to the next.',
  shown: [
    {
      test: 'test/escalations/answer.test.ts',
      says: 'of fifty who acknowledge at once the first is kept, and everybody is told who it was',
      names: ['escalation: open to acknowledged'],
    },
    {
      test: 'test/escalations/answer.test.ts',
      says: 'resolving acknowledges what nobody acknowledged, is kept as it was first, and ends the ladder',
      names: ['escalation: open or acknowledged to resolved'],
    },
    {
      test: 'test/escalations/ladder.test.ts',
      says: 'a page climbs over levels that nobody staffs, repeats the top three times, and then rests open for ever',
      names: ['escalation: stays open and climbs'],
    },
    {
      test: 'test/claims/create.test.ts',
      says: 'a claim says what was said of it, and stands for an hour unless told',
      names: ['claim: made, always'],
    },
    {
      test: 'test/claims/release.test.ts',
      says: 'a claim that is released is off the list, and is told of with its moment among those that are over',
      names: ['claim: active to released'],
    },
    {
      test: 'test/claims/create.test.ts',
      says: 'a claim of %i seconds runs out after as many',
      names: ['claim: active to expired'],
    },
    {
      test: 'test/rooms/leave.test.ts',
      says: 'who leaves is off the list, is found by its id as one who left, and has freed what it claimed',
      names: ['presence: live to released'],
    },
    {
      test: 'test/rooms/liveness.test.ts',
      says: 'the last moment of an hour counts, and the first after it does not',
      names: ['presence: live to expired'],
    },
    {
      test: 'test/sessions/memberships.test.ts',
      says: 'an invitation as %s begins with the first sign-in, or waits for a passkey',
      names: ['invite: pending to active membership'],
    },
    {
      test: 'test/live/stream-times.test.ts',
      says: 'a stream that has lived its time says where to resume, and ends',
      names: ['live stream: open to closed after 300 s'],
    },
    {
      test: 'test/lifecycle/advance.test.ts',
      says: 'an organization goes through the states at their days, each written to its trail',
      names: ['organization: active, past_due, frozen, dormant, purged'],
    },
    {
      test: 'test/tiers/status.test.ts',
      says: 'a perpetual lease has no end, wherever it is told',
      names: ['organization: perpetual leases stay active'],
    },
    {
      test: 'test/mailboxes/webhooks.test.ts',
      says: 'an answer other than 2xx is a failure that is tried again, eight times, and then until somebody sends it again',
      names: ['mailbox webhook delivery: pending, delivered, failed_permanent'],
    },
    {
      test: 'test/channel-routes/deliveries.test.ts',
      says: 'a message that is refused is tried again after 1 m, 5 m, 30 m, 2 h and 12 h, and given up after eight attempts',
      names: ['channel route delivery: queued to dead_letter'],
    },
    {
      test: 'test/channel-routes/deliveries.test.ts',
      says: 'ten refusals one after the other pause a route, its owner is told by mail, and resuming goes on with what waits',
      names: ['channel route: authorized, paused'],
    },
    {
      test: 'test/channel-routes/communities.test.ts',
      says: 'a community is installed once, and routes lead into active ones alone',
      names: ['channel route: pending authorization'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'unpaid rent suspends: calls are refused, reads and drains are not, and money makes it active again',
      names: ['signer: active, suspended'],
    },
    {
      test: 'test/signers/money.test.ts',
      says: 'a signer that holds something is not deleted; one that does not loses its key after seven days',
      names: ['signer: deleted'],
    },
    {
      test: 'test/snapshots/snapshots.test.ts',
      says: 'a snapshot is taken while the project is used, and a confirmed restore brings it back',
      names: ['snapshot: manual, pre_restore'],
    },
    {
      test: 'test/snapshots/before-migrations.full.test.ts',
      says: 'a deploy takes a snapshot before its migrations, which the way back names',
      names: ['snapshot: pre_migration'],
    },
    {
      test: 'test/snapshots/schemas.full.test.ts',
      says: 'a daily snapshot is taken when its time has come, and goes when it is over',
      names: ['snapshot: scheduled, expired'],
    },
    {
      test: 'test/branches/branches.test.ts',
      says: 'no mail leaves a branch: it is read in its sandbox, or refused',
      names: ['branch: email_mode sandbox, off'],
    },
    {
      test: 'test/jobs/jobs.test.ts',
      says: 'a job that waits is cancelled for nothing',
      names: ['job: queued to cancelled'],
    },
    {
      test: 'test/sessions/device-flow.test.ts',
      says: 'the states of waiting are data, as bare words beside the envelope',
      names: ['device sign-in: waiting, approved, denied, expired'],
    },
  ],
  left: [],
};
