/** The fields from here on stand behind the name, which is in brackets and may have blanks and brackets in it. */
const firstFieldAfterName = 3;

/**
 * A field of what Linux says of a process, by the number that it has in proc_pid_stat(5).
 * @param stat the text of `/proc/<pid>/stat`
 * @param field 3 or more
 */
export function statField(stat: string, field: number): string | undefined {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field - firstFieldAfterName];
}
