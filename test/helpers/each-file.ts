import fc from 'fast-check';
import { beforeEach } from 'vitest';

// A failed property says why in its own message: reports of CI show the first lines of an error, and no cause of it.
fc.configureGlobal({ includeErrorInReport: true });

const until = process.env.SVC_LANES_UNTIL;
if (until !== undefined && process.env.SVC_TEST_LANES === '1')
  // A slow machine runs as many of the lanes as it has time for: without them CI would say nothing at all.
  beforeEach(({ skip }) => skip(Date.now() > Number(until) * 1000, 'no time was left'));
