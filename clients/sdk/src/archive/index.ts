export { inspectArchive, verifyArchive } from './archive-files.ts';
export { importArchiveFile, saveArchive, sendArchiveFile, type WaitOptions, waitForArchive } from './carry-archive.ts';
export type { Diagnostic } from './portable/diagnostics.ts';
export type { ArchiveSummary } from './portable/summary.ts';
export type { ArchiveVerification, RequiredSecret } from './portable/verify.ts';
