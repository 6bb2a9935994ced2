/** The path of the form for a new event type. It has one segment more than the path of any event type. */
export const newTypePlace = '/event-types/new/form';
