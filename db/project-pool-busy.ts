/** No connection came free in time. */
export class ProjectPoolBusyError extends Error {
  override readonly name = 'ProjectPoolBusyError';
}
