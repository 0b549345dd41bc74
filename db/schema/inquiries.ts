import { createdAt, id } from '../columns.ts';
import { index, numeric, pgTable, text } from '../drizzle.ts';

export const inquiryKinds = ['acquisition', 'licence', 'question'] as const;

/** What prospective buyers wrote. No operation reads it: it is for the operator, in the database. Contract 00, 4.6. */
export const inquiries = pgTable(
  'inquiries',
  {
    id: id().primaryKey(),
    kind: text('kind').$type<(typeof inquiryKinds)[number]>().notNull(),
    email: text('email').notNull(),
    name: text('name'),
    company: text('company'),
    /** Host name of the site that is to be bought for. */
    buyerDomain: text('buyer_domain'),
    offerUsd: numeric('offer_usd', { precision: 10, scale: 2 }),
    message: text('message'),
    createdAt: createdAt(),
  },
  // What is old is deleted.
  (t) => [index('inquiries_created_at_idx').on(t.createdAt)],
);
