import { adminDb, defineFunctionRuns, events, permanentRunError } from '@svc/functions';

/** What is done when a report is due. An error that passes has it tried again. */
export default defineFunctionRuns({
  'report.due': async ({ run_id, payload }) => {
    if (payload.kind !== 'daily') throw permanentRunError(`There is no report ${payload.kind}.`);
    const counted = "select count(*)::int as tables from information_schema.tables where table_schema = 'public'";
    const { rows } = await adminDb().sql(counted);
    console.log(`the database has ${rows[0].tables} tables`);
    // The key of the event is the run: an attempt that is made again tells it once.
    await events.emit('report_made', { kind: payload.kind, tables: rows[0].tables }, { idempotencyKey: run_id });
    return rows[0];
  },
});
