package discover_test
import ("testing";"fmt";"nightporter/internal/discover")
func TestX(t *testing.T){
 for _, n := range []int{40, 1, 0} {
 l,r := house(n)
 fmt.Println(discover.Propose(discover.Input{Systems:[2]discover.System{l,r}, Zone: rome(t)}).YAML())
 }
}
