import { domain } from '../../kernel/run/domain.ts';
import { recordInquiry } from './record-inquiry.ts';

export const inquiries = domain('inquiries', {
  operations: [recordInquiry],
  expires: [
    // Whoever was not answered in a year will not be.
    { table: 'inquiries', when: `created_at < now() - interval '365 days'` },
  ],
});
