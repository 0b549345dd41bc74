-- Written by hand: whom messages name that were there before. The table is read by `addressed_to=me`.
INSERT INTO "room_addressees" ("org_id", "presence_id", "seq", "thread_id")
SELECT m."org_id", r->>'presenceId', m."seq", m."thread_id" FROM "room_messages" m, jsonb_array_elements(m."recipients") r
ON CONFLICT DO NOTHING;
