import type { Stage, Surfaces } from './surface.ts';

/** Rooms that are put away. Unarchiving comes first, so that no row leaves the room of all rows archived. */
export const roomArchiveSurfaces = ({ service, params }: Stage): Surfaces => {
  const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;
  const room = '/orgs/v1/:org_id/rooms/:room_key';
  const setArchived = (archived: boolean) => async () => {
    await service.control.sql(
      'update rooms set archived_at = case when $3 then now() end where org_id = $1 and key = $2',
      [params.org_id, params.room_key, archived],
    );
    return undefined;
  };
  const addition = { status: 200, reason: 'A room that is done with can be closed, and stays readable.' };
  const cells = 'A + + F N F A F';
  return {
    [`POST ${room}/unarchive`]: {
      addition,
      cells,
      prepare: setArchived(true),
      field: () => `mutation { unarchiveRoom(input: { ${address()} }) { archivedAt } }`,
    },
    [`POST ${room}/archive`]: {
      addition,
      cells,
      prepare: setArchived(false),
      field: () => `mutation { archiveRoom(input: { ${address()} }) { archivedAt } }`,
    },
  };
};
