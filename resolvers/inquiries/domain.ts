import { isPast } from '../../db/intervals.ts';
import { inquiries as kept } from '../../db/schema/inquiries.ts';
import { domain } from '../../kernel/run/domain.ts';
import { recordInquiry } from './record-inquiry.ts';

export const inquiries = domain('inquiries', {
  operations: [recordInquiry],
  expires: [
    // Whoever was not answered in a year will not be.
    { table: kept, when: isPast(kept.createdAt, '365 days') },
  ],
});
