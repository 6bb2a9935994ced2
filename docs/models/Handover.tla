------------------------------ MODULE Handover ------------------------------
(* The handover of one partition of `events` between two delivery processes. README.md lists what is left out.

   Each record has one delivery. Its first attempt ends with a final outcome, or fails and needs a retry record.
   Offset k is committed: records 1..k are never read again. *)
EXTENDS Integers

CONSTANTS Records,   \* how many records the partition gets
          Processes,
          MaxFaults, \* rebalances, crashes and repeated handlers, all together
          Throws,    \* whether the work on another delivery of a record may throw
          Results,   \* how attempts may end: {"failed", "final"} or one of the two
          Variant,
          NoCommit   \* a model value: no commit request is in flight

(* "fixed"       a second copy of a record waits for the first copy
   "secondDone"  a second copy of a record in flight counts as done
   "neverWoken"  the waiting copies are not woken if the first copy is abandoned
   "doneEarly"   a record counts as done when its attempt begins
   "staleCommit" a rejected commit request is repeated with the old offset and the new generation
   "keptWindow"  a window is retained although the process missed a generation
   "unfenced"    the coordinator does not check the generation of a commit request
   "staleView"   a new owner does not wait for the read model *)
ASSUME Variant \in {"fixed", "secondDone", "neverWoken", "doneEarly",
                    "staleCommit", "keptWindow", "unfenced", "staleView"}

None == 0      \* no outcome is in the log
Failed == 1    \* an attempt failed: a retry record must follow
Final == 2
Unread == 3    \* `wanted`: the record was appended after the assignment, so no process can have worked on it

VARIABLES
    appended,   \* how many records the partition has
    outcome,    \* by record: what the topic `deliveries` contains: `outcomeLog.ts`
    retries,    \* records with a retry record in the log
    network,    \* appends of crashed processes that the broker may still write
    view,       \* by record: what the read model contains of `outcome`; it lags: `resumeDelivery.ts`
    committed, generation, owner,   \* at the group coordinator
    \* The rest is by process.
    joined,     \* the generation that the process has last joined
    assignment, \* the generation in which its window was opened; 0 without the partition
    wanted,     \* the outcomes that were in the log at the assignment: `assignmentEndOffsets.ts`, `priorDeliveries.ts`
    next,       \* the window has taken in the records 1..next: `partitionWindow.ts`
    done,       \* the finished records of the window
    copies,     \* the records in memory, those of earlier assignments included
    known,      \* the registry: records that this process has finished; it outlives assignments: `inFlightRegistry.ts`
    request,    \* the commit request in flight, fenced by the generation: `groupConsumer.ts`
    faults

log == <<appended, outcome, retries, network, view>>
group == <<generation, owner>>
membership == <<joined, assignment, wanted>>
window == <<next, done>>
memory == <<copies, known>>
vars == <<log, committed, group, membership, window, memory, request, faults>>

Record == 1..Records
Generation == 0..(2 * MaxFaults + 1)
(* look      the earlier outcome is being looked up
   attempt   the attempt is waiting or running; nothing has been appended
   failed, final     the outcome is sent to the broker
   failedIn, finalIn the outcome is in the log, and its acknowledgement is on its way
   retry, retryIn    the same of the retry record
   join      waits for the copy that makes the attempt
   joinRetry waits for the copy that appends the retry record
   blocked   waits, and no copy will wake it *)
State == {"look", "attempt", "failed", "final", "failedIn", "finalIn",
          "retry", "retryIn", "join", "joinRetry", "blocked"}
(* `of` is the assignment of the copy. 0: its handler threw and was repeated, so its result reaches no window.
   `attempts`: whether the copy is registered under the name of the attempt, or of the retry record alone. *)
Copy == [record : Record, of : Generation, state : State, attempts : BOOLEAN]

TypeOK ==
    /\ appended \in 0..Records /\ committed \in 0..Records
    /\ outcome \in [Record -> None..Final] /\ view \in [Record -> None..Final]
    /\ retries \subseteq Record /\ network \subseteq (Record \X {"failed", "final", "retry"})
    /\ generation \in Generation /\ owner \in Processes
    /\ joined \in [Processes -> Generation] /\ assignment \in [Processes -> Generation]
    /\ wanted \in [Processes -> [Record -> None..Unread]]
    /\ next \in [Processes -> 0..Records] /\ done \in [Processes -> SUBSET Record]
    /\ copies \in [Processes -> SUBSET Copy] /\ known \in [Processes -> SUBSET Record]
    /\ request \in [Processes -> [generation : Generation, offset : 0..Records] \cup {NoCommit}]
    /\ faults \in 0..MaxFaults

Maximum(S) == CHOOSE x \in S : \A y \in S : y <= x
Accounted(r) == outcome[r] = Final \/ r \in retries
Watermark(p) == Maximum({k \in 0..next[p] : 1..k \subseteq done[p]})
IsLost(p, c) == c.of = 0 \/ c.of # assignment[p]

(* The copies that are registered under the name of a record's attempt, or of its retry record. *)
Attempting(p, r) == {c \in copies[p] : c.record = r /\ c.attempts /\ c.state \notin {"look", "join", "blocked"}}
Planning(p, r) == {c \in copies[p] : c.record = r /\ c.state \in {"retry", "retryIn"}}

Init ==
    /\ appended = 0 /\ retries = {} /\ network = {} /\ committed = 0 /\ generation = 1 /\ faults = 0
    /\ outcome = [r \in Record |-> None] /\ view = outcome
    /\ owner \in Processes
    /\ joined = [p \in Processes |-> 1]
    /\ assignment = [p \in Processes |-> IF p = owner THEN 1 ELSE 0]
    /\ wanted = [p \in Processes |-> [r \in Record |-> IF p = owner THEN Unread ELSE None]]
    /\ next = [p \in Processes |-> 0] /\ done = [p \in Processes |-> {}]
    /\ copies = [p \in Processes |-> {}] /\ known = done
    /\ request = [p \in Processes |-> NoCommit]

-----------------------------------------------------------------------------
(* The log and the read model *)
Produce ==
    /\ appended < Records /\ appended' = appended + 1
    /\ UNCHANGED <<outcome, retries, network, view, committed, group, membership, window, memory, request, faults>>

Written(r, what) ==
    /\ outcome' = [outcome EXCEPT ![r] = CASE what = "final" -> Final
                                           [] what = "failed" -> Maximum({@, Failed})
                                           [] OTHER -> @]
    /\ retries' = IF what = "retry" THEN retries \cup {r} ELSE retries

(* An append whose process has crashed reaches the broker, or does not. *)
WriteLate ==
    \E <<r, what>> \in network :
        /\ network' = network \ {<<r, what>>}
        /\ Written(r, what) \/ UNCHANGED <<outcome, retries>>
        /\ UNCHANGED <<appended, view, committed, group, membership, window, memory, request, faults>>

Fold ==
    \E r \in Record :
        /\ view[r] < outcome[r] /\ view' = [view EXCEPT ![r] = @ + 1]
        /\ UNCHANGED <<appended, outcome, retries, network, committed, group, membership, window, memory,
                       request, faults>>

-----------------------------------------------------------------------------
(* The group *)
NewGeneration(p) == generation' = generation + 1 /\ owner' = p

(* A member joined or left, or a paused process was expelled. A process that does not join yet is a paused one. *)
Rebalance(p) ==
    /\ faults < MaxFaults /\ faults' = faults + 1 /\ NewGeneration(p)
    /\ UNCHANGED <<log, committed, membership, window, memory, request>>

(* The session of a crashed owner has timed out. *)
Expel ==
    /\ joined[owner] = generation /\ assignment[owner] = 0
    /\ \E p \in Processes : NewGeneration(p)
    /\ UNCHANGED <<log, committed, membership, window, memory, request, faults>>

Crash(p) ==
    /\ faults < MaxFaults /\ faults' = faults + 1
    /\ assignment[p] # 0 \/ copies[p] # {}
    /\ network' = network \cup {<<c.record, c.state>> : c \in {d \in copies[p] : d.state \in {"failed", "final", "retry"}}}
    /\ assignment' = [assignment EXCEPT ![p] = 0]
    /\ wanted' = [wanted EXCEPT ![p] = [r \in Record |-> None]]
    /\ next' = [next EXCEPT ![p] = 0] /\ done' = [done EXCEPT ![p] = {}]
    /\ copies' = [copies EXCEPT ![p] = {}] /\ known' = [known EXCEPT ![p] = {}]
    /\ UNCHANGED <<appended, outcome, retries, view, committed, group, joined, request>>

(* The window stays if the partition was ours in the generation before too: `assign` of `assignedPartitions.ts`. *)
Stays(p) == assignment[p] # 0 /\ (joined[p] = generation - 1 \/ Variant = "keptWindow")

Join(p) ==
    /\ joined[p] # generation /\ joined' = [joined EXCEPT ![p] = generation]
    /\ IF owner = p /\ Stays(p)
       THEN UNCHANGED <<assignment, wanted, window>>
       ELSE /\ assignment' = [assignment EXCEPT ![p] = IF owner = p THEN generation ELSE 0]
            /\ wanted' = [wanted EXCEPT ![p] = [r \in Record |->
                   IF owner # p \/ r <= committed THEN None ELSE IF r <= appended THEN outcome[r] ELSE Unread]]
            /\ next' = [next EXCEPT ![p] = IF owner = p THEN committed ELSE 0]
            /\ done' = [done EXCEPT ![p] = IF owner = p THEN 1..committed ELSE {}]
    /\ UNCHANGED <<log, committed, group, memory, request, faults>>

-----------------------------------------------------------------------------
(* The window *)

(* The broker answers any process: fetches are not fenced. *)
Fetch(p) ==
    /\ assignment[p] # 0
    /\ LET r == Maximum({next[p], committed}) + 1
       IN /\ r <= appended
          /\ next' = [next EXCEPT ![p] = r]
          /\ done' = [done EXCEPT ![p] = @ \cup 1..committed]
          /\ copies' = [copies EXCEPT ![p] = @ \cup
                 {[record |-> r, of |-> assignment[p], state |-> "look", attempts |-> FALSE]}]
    /\ UNCHANGED <<log, committed, group, membership, known, request, faults>>

SendCommit(p) ==
    /\ assignment[p] # 0 /\ request[p] = NoCommit /\ Watermark(p) # committed
    /\ request' = [request EXCEPT ![p] = [generation |-> joined[p], offset |-> Watermark(p)]]
    /\ UNCHANGED <<log, committed, group, membership, window, memory, faults>>

(* After a rejection the next request is computed again from the window. *)
Commit(p) ==
    /\ request[p] # NoCommit
    /\ IF request[p].generation = generation \/ Variant = "unfenced"
       THEN committed' = request[p].offset /\ request' = [request EXCEPT ![p] = NoCommit]
       ELSE /\ UNCHANGED committed
            /\ request' = [request EXCEPT ![p] =
                   IF Variant = "staleCommit" THEN [@ EXCEPT !.generation = joined[p]] ELSE NoCommit]
    /\ UNCHANGED <<log, group, membership, window, memory, faults>>

-----------------------------------------------------------------------------
(* The work on a record *)
Becomes(p, c, changed) == copies' = [copies EXCEPT ![p] = (@ \ {c}) \cup {changed}]
Finish(p, c) ==
    /\ copies' = [copies EXCEPT ![p] = @ \ {c}]
    /\ done' = IF IsLost(p, c) THEN done ELSE [done EXCEPT ![p] = @ \cup {c.record}]

(* This copy makes the attempt, unless another copy of this process does or did. *)
StartAttempt(p, c) ==
    LET named == [c EXCEPT !.attempts = TRUE]
    IN IF c.record \in known[p]
       THEN Finish(p, c)
       ELSE IF Attempting(p, c.record) = {}
       THEN /\ Becomes(p, c, [named EXCEPT !.state = "attempt"])
            /\ done' = IF Variant = "doneEarly" THEN [done EXCEPT ![p] = @ \cup {c.record}] ELSE done
       ELSE IF Variant = "secondDone"
       THEN Finish(p, c)
       ELSE Becomes(p, c, [named EXCEPT !.state = "join"]) /\ UNCHANGED done

(* The same of the retry record. *)
StartRetry(p, c) ==
    IF c.record \in known[p] \/ (Planning(p, c.record) # {} /\ Variant = "secondDone")
    THEN Finish(p, c)
    ELSE /\ Becomes(p, c, [c EXCEPT !.state = IF Planning(p, c.record) = {} THEN "retry" ELSE "joinRetry"])
         /\ UNCHANGED done

Rest == UNCHANGED <<committed, group, membership, next, request, faults>>

LookUp(p) ==
    \E c \in copies[p] :
        /\ c.state = "look" /\ ~IsLost(p, c)
        /\ LET r == c.record
           IN /\ wanted[p][r] = Unread \/ view[r] >= wanted[p][r] \/ Variant = "staleView"
              /\ CASE wanted[p][r] = Unread \/ view[r] = None -> StartAttempt(p, c)
                   [] wanted[p][r] # Unread /\ view[r] = Failed -> StartRetry(p, c)
                   [] wanted[p][r] # Unread /\ view[r] = Final -> Finish(p, c)
        /\ UNCHANGED <<log, known>> /\ Rest

EndAttempt(p) ==
    \E c \in copies[p] :
        /\ c.state = "attempt"
        /\ \E result \in Results : Becomes(p, c, [c EXCEPT !.state = result])
        /\ UNCHANGED <<log, done, known>> /\ Rest

Write(p) ==
    \E c \in copies[p] :
        /\ c.state \in {"failed", "final", "retry"} /\ Written(c.record, c.state)
        /\ Becomes(p, c, [c EXCEPT !.state = CASE @ = "failed" -> "failedIn" [] @ = "final" -> "finalIn"
                                               [] @ = "retry" -> "retryIn"])
        /\ UNCHANGED <<appended, network, view, done, known>> /\ Rest

Acknowledge(p) ==
    \E c \in copies[p] :
        /\ c.state \in {"failedIn", "finalIn", "retryIn"}
        /\ IF c.state = "failedIn"
           THEN StartRetry(p, c) /\ UNCHANGED known
           ELSE Finish(p, c) /\ known' = [known EXCEPT ![p] = @ \cup {c.record}]
        /\ UNCHANGED log /\ Rest

(* The copy that this one waited for has ended. One of several waiting copies runs; the others wait for that one. *)
Continue(p) ==
    \E c \in copies[p] :
        /\ \/ c.state = "join" /\ Attempting(p, c.record) = {} /\ StartAttempt(p, c)
           \/ c.state = "joinRetry" /\ Planning(p, c.record) = {} /\ StartRetry(p, c)
        /\ UNCHANGED <<log, known>> /\ Rest

(* The signal of the copy is aborted, or its work threw: it ends if it has appended nothing. *)
Abandon(p) ==
    \E c \in copies[p] :
        /\ IsLost(p, c) /\ c.state \in {"look", "attempt", "join", "blocked"}
        /\ copies' = [copies EXCEPT ![p] =
               IF Variant = "neverWoken" /\ c.state = "attempt"
               THEN {IF d.record = c.record /\ d.state = "join" THEN [d EXCEPT !.state = "blocked"] ELSE d
                     : d \in @ \ {c}}
               ELSE @ \ {c}]
        /\ UNCHANGED <<log, done, known>> /\ Rest

(* Another delivery of the record threw, so the whole record is handled again while this copy is still at work. *)
Repeat(p) ==
    \E c \in copies[p] :
        /\ Throws /\ faults < MaxFaults /\ faults' = faults + 1
        /\ ~IsLost(p, c) /\ c.state \notin {"look", "join", "joinRetry", "blocked"}
        /\ \A d \in copies[p] : d.record = c.record => d.of # 0
        /\ copies' = [copies EXCEPT ![p] = (@ \ {c}) \cup
               {[c EXCEPT !.of = 0], [c EXCEPT !.state = "look", !.attempts = FALSE]}]
        /\ UNCHANGED <<log, committed, group, membership, window, known, request>>

-----------------------------------------------------------------------------
Step == \/ Produce \/ WriteLate \/ Fold \/ Expel
        \/ \E p \in Processes :
               \/ Join(p) \/ Fetch(p) \/ SendCommit(p) \/ Commit(p)
               \/ LookUp(p) \/ EndAttempt(p) \/ Write(p) \/ Acknowledge(p) \/ Continue(p) \/ Abandon(p)
Fault == \E p \in Processes : Rebalance(p) \/ Crash(p) \/ Repeat(p)
Next == Step \/ Fault

Spec == Init /\ [][Next]_vars
(* Steps come to an end, except for commits of a process that does not learn of the new generation. *)
FairSpec == Spec /\ WF_vars(Step) /\ \A p \in Processes : WF_vars(Join(p))

-----------------------------------------------------------------------------
(* No committed offset is above a record without a final outcome or a retry record. *)
NoLoss == \A r \in 1..committed : Accounted(r)
(* A window counts a record as done only if the log has what became of it. The same holds for the registry. *)
DoneIsInLog == \A p \in Processes : \A r \in done[p] \cup known[p] : Accounted(r)
(* One process never makes the same attempt twice at the same time. *)
OneAttempt == \A p \in Processes : \A r \in Record : \A c, d \in Attempting(p, r) : c = d
(* A new owner repeats no attempt whose outcome was in the log at its assignment. *)
NoNeedlessRepeat ==
    \A p \in Processes : \A c \in copies[p] :
        c.state = "attempt" /\ ~IsLost(p, c) => wanted[p][c.record] \in {None, Unread}
NeverBack == [][committed' >= committed]_vars
EachEnds == <>(\A r \in Record : Accounted(r))
AllCommitted == <>[](committed = Records)

Symmetry == {f \in [Processes -> Processes] : \A p, q \in Processes : f[p] = f[q] => p = q}
=============================================================================
